#config = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [2, 5], vector_reduction = [0, 0]>
#config1 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 4]>
#config2 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 20], vector_reduction = [0, 0]>
#config3 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [2, 20], vector_reduction = [0, 0]>
#config4 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 20, 0], vector_reduction = [0, 0, 1]>
#config5 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 5], vector_reduction = [0, 0]>
#config6 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 1]>
#config7 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 2]>
#config8 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 15], vector_reduction = [0, 0]>
#executable_target_embedded_elf_x86_64 = #hal.executable.target<"llvm-cpu", "embedded-elf-x86_64", {cpu = "generic", cpu_features = "+sse,+sse2,+aes,+avx,+avx2,+avx512bf16,+avx512bitalg,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vl,+avx512vnni,+avx512vpopcntdq,+bmi,+bmi2,+cx16,+f16c,+fma,+gfni,+lzcnt,+movbe,+pclmul,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,+ssse3,+vaes,+vpclmulqdq,+xsave", data_layout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128", debug_symbols = false, iree.encoding.resolver = #iree_cpu.cpu_encoding_resolver<>, max_stack_allocation_size = 32768 : i64, native_vector_size = 64 : i64, target_triple = "x86_64-unknown-unknown-eabi-elf", ukernels = "none"}>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<() -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> ()>
#map9 = affine_map<(d0) -> ()>
#map10 = affine_map<(d0) -> (d0)>
#map11 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map12 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map13 = affine_map<(d0, d1, d2) -> (d1)>
#map14 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#device_target_local = #hal.device.target<"local", [#executable_target_embedded_elf_x86_64]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_local
  stream.executable private @lstm_block_cell_grad_dispatch_0 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 1.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %c128 = arith.constant 128 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %2 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %3 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %4 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %5 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %6 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %7 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %8 = stream.binding.subspan %arg8[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %9 = stream.binding.subspan %arg9[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %10 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %11 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %12 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %13 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %14 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %15 = iree_tensor_ext.dispatch.tensor.load %5, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %16 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %17 = tensor.empty() : tensor<2x5xf32>
        %18:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map1, #map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %11, %12, %13, %14, %15, %16 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>) outs(%17, %17, %17 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %in_1: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32, %out_6: f32, %out_7: f32):
          %19 = arith.subf %cst, %in_2 : f32
          %20 = arith.mulf %in_2, %19 : f32
          %21 = arith.mulf %20, %in_1 : f32
          %22 = arith.mulf %21, %in_0 : f32
          %23 = arith.mulf %in_0, %in_0 : f32
          %24 = arith.subf %cst, %23 : f32
          %25 = arith.mulf %24, %in_1 : f32
          %26 = arith.mulf %25, %in_2 : f32
          %27 = arith.mulf %22, %in_4 : f32
          %28 = arith.addf %26, %in_3 : f32
          %29 = arith.addf %28, %27 : f32
          %30 = arith.mulf %in, %in : f32
          %31 = arith.subf %cst, %30 : f32
          %32 = arith.mulf %31, %29 : f32
          %33 = arith.mulf %32, %in_5 : f32
          linalg.yield %22, %29, %33 : f32, f32, f32
        } -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
        iree_tensor_ext.dispatch.tensor.store %18#0, %7, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %18#1, %8, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %18#2, %9, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        return
      }
    }
  }
  stream.executable private @lstm_block_cell_grad_dispatch_1 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 1.000000e+00 : f32
        %c64 = arith.constant 64 : index
        %c0 = arith.constant 0 : index
        %c192 = arith.constant 192 : index
        %c256 = arith.constant 256 : index
        %0 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %2 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %3 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %4 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %5 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %6 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %7 = stream.binding.subspan %arg7[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %8 = stream.binding.subspan %arg8[%c256] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %9 = stream.binding.subspan %arg9[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %10 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %11 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %12 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %13 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %14 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %15 = iree_tensor_ext.dispatch.tensor.load %5, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %16 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %17 = tensor.empty() : tensor<2x5xf32>
        %18:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map1, #map, #map1, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %11, %12, %13, %14, %15, %16 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>, tensor<5xf32>) outs(%17, %17, %17 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %in_1: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32, %out_6: f32, %out_7: f32):
          %19 = arith.subf %cst, %in_0 : f32
          %20 = arith.mulf %in_0, %19 : f32
          %21 = arith.mulf %20, %in : f32
          %22 = arith.mulf %21, %in_4 : f32
          %23 = arith.subf %cst, %in_1 : f32
          %24 = arith.mulf %in_1, %23 : f32
          %25 = arith.mulf %24, %in : f32
          %26 = arith.mulf %25, %in_2 : f32
          %27 = arith.mulf %22, %in_5 : f32
          %28 = arith.mulf %26, %in_3 : f32
          %29 = arith.addf %28, %27 : f32
          %30 = arith.mulf %in, %in_0 : f32
          %31 = arith.addf %30, %29 : f32
          linalg.yield %22, %26, %31 : f32, f32, f32
        } -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
        iree_tensor_ext.dispatch.tensor.store %18#0, %7, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %18#1, %8, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %18#2, %9, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        return
      }
    }
  }
  stream.executable private @lstm_block_cell_grad_dispatch_2 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_2_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_2_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c256 = arith.constant 256 : index
        %c64 = arith.constant 64 : index
        %0 = stream.binding.subspan %arg0[%c256] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  stream.executable private @lstm_block_cell_grad_dispatch_3 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_3_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_3_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c128 = arith.constant 128 : index
        %c64 = arith.constant 64 : index
        %0 = stream.binding.subspan %arg0[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 5], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  stream.executable private @lstm_block_cell_grad_dispatch_4 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_4_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_4_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c192 = arith.constant 192 : index
        %c64 = arith.constant 64 : index
        %0 = stream.binding.subspan %arg0[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 10], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  stream.executable private @lstm_block_cell_grad_dispatch_5 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_5_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_5_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 15], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  stream.executable private @lstm_block_cell_grad_dispatch_6 {
    stream.executable.export public @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: i32, %arg4: i32) {
        %c0 = arith.constant 0 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg3 : i32 to index
        %1 = arith.index_castui %arg4 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 256, umax = 256, udiv = 256>, <umin = 192, umax = 192, udiv = 192>, <umin = 0, umax = 0>], 
            %1[<umin = 256, umax = 256, udiv = 256>, <umin = 320, umax = 320, udiv = 320>, <umin = 384, umax = 384, udiv = 384>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %4 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %5 = stream.binding.subspan %arg2[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        %6 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %7 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %8 = tensor.empty() : tensor<5xf32>
        %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<5xf32>) -> tensor<5xf32>
        %10 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%6, %7 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%9 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %11 = arith.mulf %in, %in_0 : f32
          %12 = arith.addf %out, %11 : f32
          linalg.yield %12 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %10, %5, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  util.func public @lstm_block_cell_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.buffer_view, %arg13: !hal.buffer_view, %arg14: !hal.buffer_view, %arg15: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @lstm_block_cell_grad(%input0: tensor<2x3xf32>, %input1: tensor<2x5xf32>, %input2: tensor<2x5xf32>, %input3: tensor<8x20xf32>, %input4: tensor<5xf32>, %input5: tensor<5xf32>, %input6: tensor<5xf32>, %input7: tensor<20xf32>, %input8: tensor<2x5xf32>, %input9: tensor<2x5xf32>, %input10: tensor<2x5xf32>, %input11: tensor<2x5xf32>, %input12: tensor<2x5xf32>, %input13: tensor<2x5xf32>, %input14: tensor<2x5xf32>, %input15: tensor<2x5xf32>) -> (%output0: tensor<2x5xf32>, %output1: tensor<2x20xf32>, %output2: tensor<5xf32>, %output3: tensor<5xf32>, %output4: tensor<5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[2,5], cs: float32[2,5], f: float32[2,5], o: float32[2,5], ci: float32[2,5], co: float32[2,5], cs_grad: float32[2,5], h_grad: float32[2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "LSTMBlockCellGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "cs_prev_grad: float32[2,5], dicfo: float32[2,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c384_i32 = arith.constant 384 : i32
    %c320_i32 = arith.constant 320 : i32
    %c256_i32 = arith.constant 256 : i32
    %c192_i32 = arith.constant 192 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c448 = arith.constant 448 : index
    %c384 = arith.constant 384 : index
    %c320 = arith.constant 320 : index
    %c256 = arith.constant 256 : index
    %c64 = arith.constant 64 : index
    %c160 = arith.constant 160 : index
    %c20 = arith.constant 20 : index
    %c40 = arith.constant 40 : index
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg4 : !hal.buffer_view> message("input4") shape([%c5]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg4 : !hal.buffer_view -> tensor<5xf32> in !stream.resource<external>{%c20}
    hal.buffer_view.assert<%arg5 : !hal.buffer_view> message("input5") shape([%c5]) type(%element_type_f32) encoding(%dense_row_major)
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg5 : !hal.buffer_view -> tensor<5xf32> in !stream.resource<external>{%c20}
    hal.buffer_view.assert<%arg6 : !hal.buffer_view> message("input6") shape([%c5]) type(%element_type_f32) encoding(%dense_row_major)
    %3 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg6 : !hal.buffer_view -> tensor<5xf32> in !stream.resource<external>{%c20}
    hal.buffer_view.assert<%arg8 : !hal.buffer_view> message("input8") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %4 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg8 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg9 : !hal.buffer_view> message("input9") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %5 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg9 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg10 : !hal.buffer_view> message("input10") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %6 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg10 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg11 : !hal.buffer_view> message("input11") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %7 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg11 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg12 : !hal.buffer_view> message("input12") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %8 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg12 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg13 : !hal.buffer_view> message("input13") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %9 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg13 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg14 : !hal.buffer_view> message("input14") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %10 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg14 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg15 : !hal.buffer_view> message("input15") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %11 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg15 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    %12 = util.optimization_barrier %11 : !stream.resource<external>
    %13 = util.optimization_barrier %10 : !stream.resource<external>
    %14 = util.optimization_barrier %9 : !stream.resource<external>
    %15 = util.optimization_barrier %8 : !stream.resource<external>
    %16 = util.optimization_barrier %7 : !stream.resource<external>
    %17 = util.optimization_barrier %6 : !stream.resource<external>
    %18 = util.optimization_barrier %5 : !stream.resource<external>
    %19 = util.optimization_barrier %4 : !stream.resource<external>
    %20 = util.optimization_barrier %3 : !stream.resource<external>
    %21 = util.optimization_barrier %2 : !stream.resource<external>
    %22 = util.optimization_barrier %1 : !stream.resource<external>
    %23 = util.optimization_barrier %0 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c448} => !stream.timepoint
    %result_0, %result_timepoint_1 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<transient>{%c320} => !stream.timepoint
    %24 = stream.timepoint.join max(%result_timepoint, %result_timepoint_1) => !stream.timepoint
    %25 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%24) => with(%15 as %arg16: !stream.resource<external>{%c40}, %14 as %arg17: !stream.resource<external>{%c40}, %12 as %arg18: !stream.resource<external>{%c40}, %16 as %arg19: !stream.resource<external>{%c40}, %13 as %arg20: !stream.resource<external>{%c40}, %20 as %arg21: !stream.resource<external>{%c20}, %19 as %arg22: !stream.resource<external>{%c40}, %17 as %arg23: !stream.resource<external>{%c40}, %22 as %arg24: !stream.resource<external>{%c20}, %23 as %arg25: !stream.resource<external>{%c40}, %21 as %arg26: !stream.resource<external>{%c20}, %18 as %arg27: !stream.resource<external>{%c40}, %result as %arg28: !stream.resource<external>{%c448}, %result_0 as %arg29: !stream.resource<transient>{%c320}) {
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_0::@lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32 {
        ro %arg16[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg17[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg18[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg19[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg20[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg21[%c0 for %c20] : !stream.resource<external>{%c20},
        ro %arg22[%c0 for %c40] : !stream.resource<external>{%c40},
        wo %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        wo %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        wo %arg29[%c0 for %c320] : !stream.resource<transient>{%c320}
      }
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_1::@lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32 {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        ro %arg23[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg22[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg16[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg24[%c0 for %c20] : !stream.resource<external>{%c20},
        ro %arg25[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg26[%c0 for %c20] : !stream.resource<external>{%c20},
        wo %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        wo %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        wo %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_2::@lstm_block_cell_grad_dispatch_2_slow_memcpy {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_3::@lstm_block_cell_grad_dispatch_3_slow_memcpy {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_4::@lstm_block_cell_grad_dispatch_4_slow_memcpy {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_5::@lstm_block_cell_grad_dispatch_5_slow_memcpy {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_6::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%c256_i32, %c256_i32 : i32, i32) {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          ro %arg25[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_6::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%c192_i32, %c320_i32 : i32, i32) {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          ro %arg25[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_6::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%c0_i32, %c384_i32 : i32, i32) {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          ro %arg27[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
      }
    } => !stream.timepoint
    %26 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%25) => %result_0 : !stream.resource<transient>{%c320} => !stream.timepoint
    %27 = stream.timepoint.await %26 => %result : !stream.resource<external>{%c448}
    %28 = stream.resource.subview %27[%c0] : !stream.resource<external>{%c448} -> !stream.resource<external>{%c40}
    %29 = stream.resource.subview %27[%c64] : !stream.resource<external>{%c448} -> !stream.resource<external>{%c160}
    %30 = stream.resource.subview %27[%c256] : !stream.resource<external>{%c448} -> !stream.resource<external>{%c20}
    %31 = stream.resource.subview %27[%c320] : !stream.resource<external>{%c448} -> !stream.resource<external>{%c20}
    %32 = stream.resource.subview %27[%c384] : !stream.resource<external>{%c448} -> !stream.resource<external>{%c20}
    %33 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %28 : tensor<2x5xf32> in !stream.resource<external>{%c40} -> !hal.buffer_view
    %34 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %29 : tensor<2x20xf32> in !stream.resource<external>{%c160} -> !hal.buffer_view
    %35 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %30 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    %36 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %31 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    %37 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %32 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    util.return %33, %34, %35, %36, %37 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @block_lstm_grad_v2_dispatch_0 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_0_elementwise workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_0_elementwise(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %3 = tensor.empty() : tensor<i64>
        %4 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%2 : tensor<i64>) outs(%3 : tensor<i64>) {
        ^bb0(%in: i64, %out: i64):
          %5 = arith.maxsi %in, %c0_i64 : i64
          %6 = arith.minui %5, %c4_i64 : i64
          linalg.yield %6 : i64
        } -> tensor<i64>
        iree_tensor_ext.dispatch.tensor.store %4, %1, offsets = [], sizes = [], strides = [] : tensor<i64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_1 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %1 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20x5xf32>>
        %2 = tensor.empty() : tensor<20x5xf32>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [3, 0], sizes = [5, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<5x20xf32>
        %4 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5x20xf32>) outs(%2 : tensor<20x5xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<20x5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %1, offsets = [0, 0], sizes = [20, 5], strides = [1, 1] : tensor<20x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20x5xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_2 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c2 = arith.constant 2 : index
        %c0 = arith.constant 0 : index
        %c576 = arith.constant 576 : index
        %c128 = arith.constant 128 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %1 = stream.binding.subspan %arg1[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %3 = stream.binding.subspan %arg2[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x20xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %6 = tensor.empty() : tensor<8x3xf32>
        %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %8 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [3, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<3x20xf32>
        %9 = linalg.matmul indexing_maps = [#map5, #map6, #map7] ins(%4, %8 : tensor<8x20xf32>, tensor<3x20xf32>) outs(%7 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %10 = linalg.generic {indexing_maps = [#map8, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %9 : tensor<i64>, tensor<8x3xf32>) outs(%6 : tensor<8x3xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %11 = linalg.index 0 : index
          %12 = arith.divsi %11, %c2 : index
          %13 = arith.index_cast %12 : index to i64
          %14 = arith.cmpi slt, %13, %in : i64
          %15 = arith.select %14, %in_0, %cst : f32
          linalg.yield %15 : f32
        } -> tensor<8x3xf32>
        iree_tensor_ext.dispatch.tensor.store %10, %3, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : tensor<8x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_3 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c320 = arith.constant 320 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<24xf32>>
        %2 = stream.binding.subspan %arg2[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<24xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0], sizes = [24], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<24xf32>> -> tensor<24xf32>
        %5 = tensor.empty() : tensor<24xf32>
        %6 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%3, %4 : tensor<i64>, tensor<24xf32>) outs(%5 : tensor<24xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %7 = linalg.index 0 : index
          %8 = arith.divsi %7, %c3 : index
          %9 = arith.divsi %8, %c2 : index
          %10 = arith.index_cast %9 : index to i64
          %11 = arith.cmpi slt, %10, %in : i64
          %12 = arith.select %11, %in_0, %cst : f32
          linalg.yield %12 : f32
        } -> tensor<24xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %2, offsets = [0], sizes = [24], strides = [1] : tensor<24xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<24xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_4 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %c2 = arith.constant 2 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 1472, umax = 1472, udiv = 1472>, <umin = 320, umax = 320, udiv = 320>] : index
        %2 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<50xf32>>
        %3 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %4 = stream.binding.subspan %arg1[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %6 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0], sizes = [40], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<50xf32>> -> tensor<40xf32>
        %7 = tensor.empty() : tensor<40xf32>
        %8 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%5, %6 : tensor<i64>, tensor<40xf32>) outs(%7 : tensor<40xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %9 = linalg.index 0 : index
          %10 = arith.divsi %9, %c5 : index
          %11 = arith.divsi %10, %c2 : index
          %12 = arith.index_cast %11 : index to i64
          %13 = arith.cmpi slt, %12, %in : i64
          %14 = arith.select %13, %in_0, %cst : f32
          linalg.yield %14 : f32
        } -> tensor<40xf32>
        iree_tensor_ext.dispatch.tensor.store %8, %4, offsets = [0], sizes = [40], strides = [1] : tensor<40xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_5 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_5_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_5_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c320 = arith.constant 320 : index
        %c1216 = arith.constant 1216 : index
        %0 = stream.binding.subspan %arg0[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>
        %1 = stream.binding.subspan %arg1[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : tensor<4x2x3xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_6 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_6_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_6_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c1472 = arith.constant 1472 : index
        %c1216 = arith.constant 1216 : index
        %0 = stream.binding.subspan %arg0[%c1472] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0, 3], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_7 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c1216 = arith.constant 1216 : index
        %c576 = arith.constant 576 : index
        %c256 = arith.constant 256 : index
        %0 = stream.binding.subspan %arg0[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x8xf32>>
        %1 = stream.binding.subspan %arg0[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %2 = stream.binding.subspan %arg1[%c256] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [8, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x8xf32>> -> tensor<8x8xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x20xf32>
        %5 = tensor.empty() : tensor<8x20xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<8x20xf32>) -> tensor<8x20xf32>
        %7 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%3, %4 : tensor<8x8xf32>, tensor<8x20xf32>) outs(%6 : tensor<8x20xf32>) -> tensor<8x20xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : tensor<8x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_8 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c576 = arith.constant 576 : index
        %c896 = arith.constant 896 : index
        %0 = stream.binding.subspan %arg0[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %1 = stream.binding.subspan %arg1[%c896] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x20xf32>
        %3 = tensor.empty() : tensor<20xf32>
        %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<20xf32>) -> tensor<20xf32>
        %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<8x20xf32>) outs(%4 : tensor<20xf32>) {
        ^bb0(%in: f32, %out: f32):
          %6 = arith.addf %out, %in : f32
          linalg.yield %6 : f32
        } -> tensor<20xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %1, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_10 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %c2 = arith.constant 2 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c1216 = arith.constant 1216 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<40xf32>>
        %2 = stream.binding.subspan %arg2[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0], sizes = [40], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<40xf32>> -> tensor<40xf32>
        %5 = tensor.empty() : tensor<40xf32>
        %6 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%3, %4 : tensor<i64>, tensor<40xf32>) outs(%5 : tensor<40xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %7 = linalg.index 0 : index
          %8 = arith.divsi %7, %c5 : index
          %9 = arith.divsi %8, %c2 : index
          %10 = arith.index_cast %9 : index to i64
          %11 = arith.cmpi slt, %10, %in : i64
          %12 = arith.select %11, %in_0, %cst : f32
          linalg.yield %12 : f32
        } -> tensor<40xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %2, offsets = [0], sizes = [40], strides = [1] : tensor<40xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_11 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c576 = arith.constant 576 : index
        %c320 = arith.constant 320 : index
        %c1024 = arith.constant 1024 : index
        %0 = stream.binding.subspan %arg0[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %1 = stream.binding.subspan %arg0[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>
        %2 = stream.binding.subspan %arg1[%c1024] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %4 = tensor.empty() : tensor<5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x5xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
        %7 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%6 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %8 = arith.mulf %in, %in_0 : f32
          %9 = arith.addf %out, %8 : f32
          linalg.yield %9 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_12 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c576 = arith.constant 576 : index
        %c320 = arith.constant 320 : index
        %c1088 = arith.constant 1088 : index
        %0 = stream.binding.subspan %arg0[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %1 = stream.binding.subspan %arg0[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>
        %2 = stream.binding.subspan %arg1[%c1088] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %4 = tensor.empty() : tensor<5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 5], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x5xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
        %7 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%6 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %8 = arith.mulf %in, %in_0 : f32
          %9 = arith.addf %out, %8 : f32
          linalg.yield %9 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  stream.executable private @block_lstm_grad_v2_dispatch_13 {
    stream.executable.export public @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c576 = arith.constant 576 : index
        %c1216 = arith.constant 1216 : index
        %c1152 = arith.constant 1152 : index
        %0 = stream.binding.subspan %arg0[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>
        %1 = stream.binding.subspan %arg0[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>
        %2 = stream.binding.subspan %arg1[%c1152] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %4 = tensor.empty() : tensor<5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 15], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x5xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
        %7 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%6 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %8 = arith.mulf %in, %in_0 : f32
          %9 = arith.addf %out, %8 : f32
          linalg.yield %9 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  util.func public @block_lstm_grad_v2(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.buffer_view, %arg13: !hal.buffer_view, %arg14: !hal.buffer_view, %arg15: !hal.buffer_view, %arg16: !hal.buffer_view, %arg17: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @block_lstm_grad_v2(%input0: tensor<i64>, %input1: tensor<4x2x3xf32>, %input2: tensor<2x5xf32>, %input3: tensor<2x5xf32>, %input4: tensor<8x20xf32>, %input5: tensor<5xf32>, %input6: tensor<5xf32>, %input7: tensor<5xf32>, %input8: tensor<20xf32>, %input9: tensor<4x2x5xf32>, %input10: tensor<4x2x5xf32>, %input11: tensor<4x2x5xf32>, %input12: tensor<4x2x5xf32>, %input13: tensor<4x2x5xf32>, %input14: tensor<4x2x5xf32>, %input15: tensor<4x2x5xf32>, %input16: tensor<4x2x5xf32>, %input17: tensor<4x2x5xf32>) -> (%output0: tensor<4x2x3xf32>, %output1: tensor<2x5xf32>, %output2: tensor<2x5xf32>, %output3: tensor<8x20xf32>, %output4: tensor<5xf32>, %output5: tensor<5xf32>, %output6: tensor<5xf32>, %output7: tensor<20xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "seq_len_max: int64[], x: float32[4,2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[4,2,5], cs: float32[4,2,5], f: float32[4,2,5], o: float32[4,2,5], ci: float32[4,2,5], co: float32[4,2,5], h: float32[4,2,5], cs_grad: float32[4,2,5], h_grad: float32[4,2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "BlockLSTMGradV2", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "x_grad: float32[4,2,3], cs_prev_grad: float32[2,5], h_prev_grad: float32[2,5], w_grad: float32[8,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5], b_grad: float32[20]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c1472_i32 = arith.constant 1472 : i32
    %c320_i32 = arith.constant 320 : i32
    %c0 = arith.constant 0 : index
    %c104 = arith.constant 104 : index
    %c1664 = arith.constant 1664 : index
    %c1344 = arith.constant 1344 : index
    %c512 = arith.constant 512 : index
    %c1216 = arith.constant 1216 : index
    %c1152 = arith.constant 1152 : index
    %c1088 = arith.constant 1088 : index
    %c1024 = arith.constant 1024 : index
    %c896 = arith.constant 896 : index
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c80 = arith.constant 80 : index
    %c160 = arith.constant 160 : index
    %c640 = arith.constant 640 : index
    %c96 = arith.constant 96 : index
    %c0_i8 = arith.constant 0 : i8
    %c20 = arith.constant 20 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %c40 = arith.constant 40 : index
    %element_type_i64 = hal.element_type<i64> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([]) type(%element_type_i64) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<i64> in !stream.resource<external>{%c8}
    %element_type_f32 = hal.element_type<f32> : i32
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c4, %c2, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<4x2x3xf32> in !stream.resource<external>{%c96}
    hal.buffer_view.assert<%arg2 : !hal.buffer_view> message("input2") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg2 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg3 : !hal.buffer_view> message("input3") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %3 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg3 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg4 : !hal.buffer_view> message("input4") shape([%c8, %c20]) type(%element_type_f32) encoding(%dense_row_major)
    %4 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg4 : !hal.buffer_view -> tensor<8x20xf32> in !stream.resource<external>{%c640}
    hal.buffer_view.assert<%arg5 : !hal.buffer_view> message("input5") shape([%c5]) type(%element_type_f32) encoding(%dense_row_major)
    %5 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg5 : !hal.buffer_view -> tensor<5xf32> in !stream.resource<external>{%c20}
    hal.buffer_view.assert<%arg6 : !hal.buffer_view> message("input6") shape([%c5]) type(%element_type_f32) encoding(%dense_row_major)
    %6 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg6 : !hal.buffer_view -> tensor<5xf32> in !stream.resource<external>{%c20}
    hal.buffer_view.assert<%arg7 : !hal.buffer_view> message("input7") shape([%c5]) type(%element_type_f32) encoding(%dense_row_major)
    %7 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg7 : !hal.buffer_view -> tensor<5xf32> in !stream.resource<external>{%c20}
    hal.buffer_view.assert<%arg9 : !hal.buffer_view> message("input9") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %8 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg9 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg10 : !hal.buffer_view> message("input10") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %9 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg10 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg11 : !hal.buffer_view> message("input11") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %10 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg11 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg12 : !hal.buffer_view> message("input12") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %11 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg12 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg13 : !hal.buffer_view> message("input13") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %12 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg13 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg14 : !hal.buffer_view> message("input14") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %13 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg14 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg15 : !hal.buffer_view> message("input15") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %14 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg15 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg16 : !hal.buffer_view> message("input16") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %15 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg16 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    hal.buffer_view.assert<%arg17 : !hal.buffer_view> message("input17") shape([%c4, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %16 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg17 : !hal.buffer_view -> tensor<4x2x5xf32> in !stream.resource<external>{%c160}
    %17 = util.optimization_barrier %16 : !stream.resource<external>
    %18 = util.optimization_barrier %15 : !stream.resource<external>
    %19 = util.optimization_barrier %14 : !stream.resource<external>
    %20 = util.optimization_barrier %13 : !stream.resource<external>
    %21 = util.optimization_barrier %12 : !stream.resource<external>
    %22 = util.optimization_barrier %11 : !stream.resource<external>
    %23 = util.optimization_barrier %10 : !stream.resource<external>
    %24 = util.optimization_barrier %9 : !stream.resource<external>
    %25 = util.optimization_barrier %8 : !stream.resource<external>
    %26 = util.optimization_barrier %7 : !stream.resource<external>
    %27 = util.optimization_barrier %6 : !stream.resource<external>
    %28 = util.optimization_barrier %5 : !stream.resource<external>
    %29 = util.optimization_barrier %4 : !stream.resource<external>
    %30 = util.optimization_barrier %3 : !stream.resource<external>
    %31 = util.optimization_barrier %2 : !stream.resource<external>
    %32 = util.optimization_barrier %1 : !stream.resource<external>
    %33 = util.optimization_barrier %0 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c1216} => !stream.timepoint
    %result_0, %result_timepoint_1 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<transient>{%c1664} => !stream.timepoint
    %34 = stream.timepoint.join max(%result_timepoint, %result_timepoint_1) => !stream.timepoint
    %35 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%34) => with(%33 as %arg18: !stream.resource<external>{%c8}, %29 as %arg19: !stream.resource<external>{%c640}, %25 as %arg20: !stream.resource<external>{%c160}, %23 as %arg21: !stream.resource<external>{%c160}, %22 as %arg22: !stream.resource<external>{%c160}, %21 as %arg23: !stream.resource<external>{%c160}, %20 as %arg24: !stream.resource<external>{%c160}, %24 as %arg25: !stream.resource<external>{%c160}, %31 as %arg26: !stream.resource<external>{%c40}, %18 as %arg27: !stream.resource<external>{%c160}, %17 as %arg28: !stream.resource<external>{%c160}, %28 as %arg29: !stream.resource<external>{%c20}, %27 as %arg30: !stream.resource<external>{%c20}, %26 as %arg31: !stream.resource<external>{%c20}, %32 as %arg32: !stream.resource<external>{%c96}, %30 as %arg33: !stream.resource<external>{%c40}, %19 as %arg34: !stream.resource<external>{%c160}, %result as %arg35: !stream.resource<external>{%c1216}, %result_0 as %arg36: !stream.resource<transient>{%c1664}) {
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_0::@block_lstm_grad_v2_dispatch_0_elementwise {
          ro %arg18[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_1::@block_lstm_grad_v2_dispatch_1_transpose_5x20_f32 {
          ro %arg19[%c0 for %c640] : !stream.resource<external>{%c640},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.fill %c0_i8, %arg36[%c512 for %c40] : i8 -> !stream.resource<transient>{%c1664}
      }
      stream.cmd.dispatch @block_lstm_grad_v2_lstm_backward_loop::@block_lstm_grad_v2_lstm_backward_loop {
        ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
        ro %arg20[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg21[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg22[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg23[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg24[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg25[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg26[%c0 for %c40] : !stream.resource<external>{%c40},
        ro %arg27[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg28[%c0 for %c160] : !stream.resource<external>{%c160},
        ro %arg29[%c0 for %c20] : !stream.resource<external>{%c20},
        ro %arg30[%c0 for %c20] : !stream.resource<external>{%c20},
        ro %arg31[%c0 for %c20] : !stream.resource<external>{%c20},
        wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
        wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
        wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.copy %arg36[%c1216], %arg35[%c0], %c40 : !stream.resource<transient>{%c1664} -> !stream.resource<external>{%c1216}
        stream.cmd.copy %arg36[%c1344], %arg35[%c64], %c40 : !stream.resource<transient>{%c1664} -> !stream.resource<external>{%c1216}
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_2::@block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32 {
          ro %arg19[%c0 for %c640] : !stream.resource<external>{%c640},
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_3::@block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          ro %arg32[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.copy %arg33[%c0], %arg36[%c64], %c40 : !stream.resource<external>{%c40} -> !stream.resource<transient>{%c1664}
        stream.cmd.copy %arg34[%c0], %arg36[%c104], %c160 : !stream.resource<external>{%c160} -> !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_4::@block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%c1472_i32 : i32) {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_5::@block_lstm_grad_v2_dispatch_5_slow_memcpy {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          rw %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
      }
      stream.cmd.dispatch @block_lstm_grad_v2_dispatch_6::@block_lstm_grad_v2_dispatch_6_slow_memcpy {
        ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
        rw %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_7::@block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_8::@block_lstm_grad_v2_dispatch_8_reduction_20x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.copy %arg26[%c0], %arg36[%c64], %c40 : !stream.resource<external>{%c40} -> !stream.resource<transient>{%c1664}
        stream.cmd.copy %arg25[%c0], %arg36[%c104], %c160 : !stream.resource<external>{%c160} -> !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_4::@block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%c320_i32 : i32) {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_10::@block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          ro %arg25[%c0 for %c160] : !stream.resource<external>{%c160},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_11::@block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_12::@block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_13::@block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
      }
    } => !stream.timepoint
    %36 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%35) => %result_0 : !stream.resource<transient>{%c1664} => !stream.timepoint
    %37 = stream.timepoint.await %36 => %result : !stream.resource<external>{%c1216}
    %38 = stream.resource.subview %37[%c128] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c96}
    %39 = stream.resource.subview %37[%c256] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c640}
    %40 = stream.resource.subview %37[%c1024] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c20}
    %41 = stream.resource.subview %37[%c1088] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c20}
    %42 = stream.resource.subview %37[%c1152] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c20}
    %43 = stream.resource.subview %37[%c896] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c80}
    %44 = stream.resource.subview %37[%c0] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c40}
    %45 = stream.resource.subview %37[%c64] : !stream.resource<external>{%c1216} -> !stream.resource<external>{%c40}
    %46 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %38 : tensor<4x2x3xf32> in !stream.resource<external>{%c96} -> !hal.buffer_view
    %47 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %44 : tensor<2x5xf32> in !stream.resource<external>{%c40} -> !hal.buffer_view
    %48 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %45 : tensor<2x5xf32> in !stream.resource<external>{%c40} -> !hal.buffer_view
    %49 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %39 : tensor<8x20xf32> in !stream.resource<external>{%c640} -> !hal.buffer_view
    %50 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %40 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    %51 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %41 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    %52 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %42 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    %53 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %43 : tensor<20xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    util.return %46, %47, %48, %49, %50, %51, %52, %53 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @block_lstm_grad_v2_lstm_backward_loop {
    stream.executable.export public @block_lstm_grad_v2_lstm_backward_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_lstm_backward_loop(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: !stream.binding {stream.alignment = 64 : index}, %arg10: !stream.binding {stream.alignment = 64 : index}, %arg11: !stream.binding {stream.alignment = 64 : index}, %arg12: !stream.binding {stream.alignment = 64 : index}, %arg13: !stream.binding {stream.alignment = 64 : index}, %arg14: !stream.binding {stream.alignment = 64 : index}, %arg15: !stream.binding {stream.alignment = 64 : index}) attributes {translation_info = #translation} {
        %c0 = arith.constant 0 : index
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c1_i64 = arith.constant 1 : i64
        %c3_i64 = arith.constant 3 : i64
        %cst = arith.constant 0.000000e+00 : f32
        %cst_0 = arith.constant dense<1.000000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %c10 = arith.constant 10 : index
        %c15 = arith.constant 15 : index
        %c4 = arith.constant 4 : index
        %c2_i64 = arith.constant 2 : i64
        %c64 = arith.constant 64 : index
        %c512 = arith.constant 512 : index
        %c576 = arith.constant 576 : index
        %c1216 = arith.constant 1216 : index
        %c1344 = arith.constant 1344 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %4 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %8 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %10 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %12 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %14 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %16 = stream.binding.subspan %arg8[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %18 = stream.binding.subspan %arg9[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %20 = stream.binding.subspan %arg10[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %22 = stream.binding.subspan %arg11[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %24 = stream.binding.subspan %arg12[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %26 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<20x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0], sizes = [20, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<20x5xf32>> -> tensor<20x5xf32>
        %28 = stream.binding.subspan %arg0[%c512] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %30 = stream.binding.subspan %arg0[%c512] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %31 = iree_tensor_ext.dispatch.tensor.load %30, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %32 = stream.binding.subspan %arg13[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x20xf32>>
        %33 = iree_tensor_ext.dispatch.tensor.load %32, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x20xf32>> -> tensor<4x2x20xf32>
        %34 = stream.binding.subspan %arg14[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %35 = iree_tensor_ext.dispatch.tensor.load %34, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %36 = stream.binding.subspan %arg15[%c1344] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %37 = iree_tensor_ext.dispatch.tensor.load %36, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %38 = arith.maxsi %extracted, %c0_i64 : i64
        %39 = arith.minsi %38, %c4_i64 : i64
        %40 = arith.index_cast %39 : i64 to index
        %41 = arith.remui %40, %c2 : index
        %inserted_slice = tensor.insert_slice %29 into %35[%41, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_1 = tensor.insert_slice %31 into %37[%41, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %42:3 = scf.for %arg16 = %c0 to %40 step %c1 iter_args(%arg17 = %33, %arg18 = %inserted_slice, %arg19 = %inserted_slice_1) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %45 = arith.index_cast %arg16 : index to i64
          %46 = arith.subi %40, %arg16 : index
          %47 = arith.remui %46, %c2 : index
          %48 = arith.subi %c1, %47 : index
          %49 = arith.subi %extracted, %45 : i64
          %50 = arith.subi %49, %c1_i64 : i64
          %51 = arith.maxsi %50, %c0_i64 : i64
          %52 = arith.minsi %51, %c3_i64 : i64
          %53 = arith.index_cast %52 : i64 to index
          %54 = arith.cmpi eq, %50, %c0_i64 : i64
          %55 = arith.subi %49, %c2_i64 : i64
          %56:2 = scf.for %arg20 = %c0 to %c2 step %c1 iter_args(%arg21 = %arg17, %arg22 = %arg18) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>) {
            %61 = arith.maxsi %50, %c0_i64 : i64
            %62 = arith.minsi %61, %c3_i64 : i64
            %63 = arith.index_cast %62 : i64 to index
            %64 = vector.transfer_read %3[%63, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %65 = arith.subf %cst_0, %64 : vector<5xf32>
            %66 = arith.mulf %64, %65 : vector<5xf32>
            %67 = arith.maxsi %50, %c0_i64 : i64
            %68 = arith.minsi %67, %c3_i64 : i64
            %69 = arith.index_cast %68 : i64 to index
            %70 = vector.transfer_read %11[%69, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %71 = arith.mulf %70, %70 : vector<5xf32>
            %72 = arith.subf %cst_0, %71 : vector<5xf32>
            %73 = arith.maxsi %50, %c0_i64 : i64
            %74 = arith.minsi %73, %c3_i64 : i64
            %75 = arith.index_cast %74 : i64 to index
            %76 = vector.transfer_read %19[%75, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %77 = vector.transfer_read %arg19[%47, %arg20, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %78 = arith.addf %76, %77 : vector<5xf32>
            %79 = arith.mulf %72, %78 : vector<5xf32>
            %80 = arith.maxsi %50, %c0_i64 : i64
            %81 = arith.minsi %80, %c3_i64 : i64
            %82 = arith.index_cast %81 : i64 to index
            %83 = vector.transfer_read %7[%82, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %84 = arith.mulf %79, %83 : vector<5xf32>
            %85 = arith.maxsi %50, %c0_i64 : i64
            %86 = arith.minsi %85, %c3_i64 : i64
            %87 = arith.index_cast %86 : i64 to index
            %88 = vector.transfer_read %17[%87, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %89 = vector.transfer_read %arg22[%47, %arg20, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %90 = arith.addf %88, %89 : vector<5xf32>
            %91 = arith.addf %84, %90 : vector<5xf32>
            %92 = arith.subf %cst_0, %83 : vector<5xf32>
            %93 = arith.mulf %83, %92 : vector<5xf32>
            %94 = arith.mulf %93, %78 : vector<5xf32>
            %95 = arith.mulf %94, %70 : vector<5xf32>
            %96 = vector.transfer_read %25[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %97 = arith.mulf %95, %96 : vector<5xf32>
            %98 = arith.addf %91, %97 : vector<5xf32>
            %99 = arith.mulf %66, %98 : vector<5xf32>
            %100 = arith.maxsi %50, %c0_i64 : i64
            %101 = arith.minsi %100, %c3_i64 : i64
            %102 = arith.index_cast %101 : i64 to index
            %103 = vector.transfer_read %9[%102, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %104 = arith.mulf %99, %103 : vector<5xf32>
            %105 = arith.maxsi %50, %c0_i64 : i64
            %106 = arith.minsi %105, %c3_i64 : i64
            %107 = arith.index_cast %106 : i64 to index
            %108 = vector.transfer_read %5[%107, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %109 = arith.subf %cst_0, %108 : vector<5xf32>
            %110 = arith.mulf %108, %109 : vector<5xf32>
            %111 = arith.mulf %110, %98 : vector<5xf32>
            %112 = vector.broadcast %54 : i1 to vector<5xi1>
            %113 = vector.transfer_read %15[%arg20, %c0], %cst {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %114 = arith.maxsi %55, %c0_i64 : i64
            %115 = arith.minsi %114, %c3_i64 : i64
            %116 = arith.index_cast %115 : i64 to index
            %117 = vector.transfer_read %13[%116, %arg20, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %118 = arith.select %112, %113, %117 : vector<5xi1>, vector<5xf32>
            %119 = arith.mulf %111, %118 : vector<5xf32>
            %120 = arith.mulf %103, %103 : vector<5xf32>
            %121 = arith.subf %cst_0, %120 : vector<5xf32>
            %122 = arith.mulf %121, %98 : vector<5xf32>
            %123 = arith.mulf %122, %64 : vector<5xf32>
            %124 = arith.mulf %98, %108 : vector<5xf32>
            %125 = vector.transfer_read %21[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %126 = arith.mulf %104, %125 : vector<5xf32>
            %127 = vector.transfer_read %23[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %128 = arith.mulf %119, %127 : vector<5xf32>
            %129 = arith.addf %126, %128 : vector<5xf32>
            %130 = arith.addf %124, %129 : vector<5xf32>
            %131 = vector.transfer_write %104, %arg21[%53, %arg20, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %132 = vector.transfer_write %119, %131[%53, %arg20, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %133 = vector.transfer_write %123, %132[%53, %arg20, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %134 = vector.transfer_write %95, %133[%53, %arg20, %c15] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %135 = vector.transfer_write %130, %arg22[%48, %arg20, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %134, %135 : tensor<4x2x20xf32>, tensor<2x2x5xf32>
          }
          %extracted_slice = tensor.extract_slice %56#0[%53, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<4x2x20xf32> to tensor<2x20xf32>
          %57 = tensor.empty() : tensor<2x5xf32>
          %58 = linalg.fill {lowering_config = #config} ins(%cst : f32) outs(%57 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %59 = linalg.matmul {lowering_config = #config1} ins(%extracted_slice, %27 : tensor<2x20xf32>, tensor<20x5xf32>) outs(%58 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %60 = scf.for %arg20 = %c0 to %c2 step %c1 iter_args(%arg21 = %arg19) -> (tensor<2x2x5xf32>) {
            %61 = vector.transfer_read %59[%arg20, %c0], %cst {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %62 = vector.transfer_write %61, %arg21[%48, %arg20, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %62 : tensor<2x2x5xf32>
          }
          scf.yield %56#0, %56#1, %60 : tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %43 = arith.addi %40, %workgroup_id_0 : index
        %44 = scf.for %arg16 = %43 to %c4 step %c1 iter_args(%arg17 = %42#0) -> (tensor<4x2x20xf32>) {
          %extracted_slice = tensor.extract_slice %arg17[%arg16, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<4x2x20xf32> to tensor<2x20xf32>
          %45 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x20xf32>) attrs =  {lowering_config = #config2} {
          ^bb0(%out: f32):
            linalg.yield %cst : f32
          } -> tensor<2x20xf32>
          %inserted_slice_2 = tensor.insert_slice %45 into %arg17[%arg16, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<2x20xf32> into tensor<4x2x20xf32>
          scf.yield %inserted_slice_2 : tensor<4x2x20xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %44, %32, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : tensor<4x2x20xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x20xf32>>
        iree_tensor_ext.dispatch.tensor.store %42#1, %34, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %42#2, %36, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_0 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x3xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x3xf32>> -> tensor<2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : tensor<2x3xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_1 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32) {
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 0, umax = 0>, <umin = 128, umax = 128, udiv = 128>], 
            %1[<umin = 64, umax = 64, udiv = 64>, <umin = 0, umax = 0>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %4 = stream.binding.subspan %arg1[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %4, offsets = [0, 3], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_2 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c64 = arith.constant 64 : index
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>>
        %2 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x10xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>> -> tensor<2x8xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [2, 10], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>> -> tensor<2x10xf32>
        %5 = tensor.empty() : tensor<8x10xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<8x10xf32>) -> tensor<8x10xf32>
        %7 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%3, %4 : tensor<2x8xf32>, tensor<2x10xf32>) outs(%6 : tensor<8x10xf32>) -> tensor<8x10xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [8, 10], strides = [1, 1] : tensor<8x10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x10xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_3 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %c128 = arith.constant 128 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>>
        %2 = stream.binding.subspan %arg2[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [10], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>> -> tensor<10xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0], sizes = [10], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>> -> tensor<10xf32>
        %5 = tensor.empty() : tensor<10xf32>
        %6 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%3, %4 : tensor<10xf32>, tensor<10xf32>) outs(%5 : tensor<10xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %7 = arith.mulf %in, %in_0 : f32
          linalg.yield %7 : f32
        } -> tensor<10xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %2, offsets = [0], sizes = [10], strides = [1] : tensor<10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_5 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c320 = arith.constant 320 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %2 = stream.binding.subspan %arg2[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>> -> tensor<2x8xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %5 = tensor.empty() : tensor<8x5xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<8x5xf32>) -> tensor<8x5xf32>
        %7 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%3, %4 : tensor<2x8xf32>, tensor<2x5xf32>) outs(%6 : tensor<8x5xf32>) -> tensor<8x5xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : tensor<8x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x5xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_6 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c512 = arith.constant 512 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>>
        %1 = stream.binding.subspan %arg1[%c512] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 10], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>> -> tensor<2x10xf32>
        %3 = tensor.empty() : tensor<10xf32>
        %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<10xf32>) -> tensor<10xf32>
        %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<2x10xf32>) outs(%4 : tensor<10xf32>) {
        ^bb0(%in: f32, %out: f32):
          %6 = arith.addf %out, %in : f32
          linalg.yield %6 : f32
        } -> tensor<10xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %1, offsets = [0], sizes = [10], strides = [1] : tensor<10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>
        return
      }
    }
  }
  stream.executable private @gru_block_cell_parameter_grad_dispatch_7 {
    stream.executable.export public @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c576 = arith.constant 576 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c576] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %3 = tensor.empty() : tensor<5xf32>
        %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<5xf32>) -> tensor<5xf32>
        %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<2x5xf32>) outs(%4 : tensor<5xf32>) {
        ^bb0(%in: f32, %out: f32):
          %6 = arith.addf %out, %in : f32
          linalg.yield %6 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %1, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  util.func public @gru_block_cell_parameter_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @gru_block_cell_parameter_grad(%input0: tensor<2x3xf32>, %input1: tensor<2x5xf32>, %input2: tensor<2x5xf32>, %input3: tensor<2x5xf32>, %input4: tensor<2x10xf32>) -> (%output0: tensor<8x10xf32>, %output1: tensor<8x5xf32>, %output2: tensor<10xf32>, %output3: tensor<5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], h_prev: float32[2,5], r: float32[2,5], d_c_bar: float32[2,5], d_r_bar_u_bar: float32[2,10]", rnn_compiler.attributes = "{}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "GRUBlockCellParameterGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "d_w_ru: float32[8,10], d_w_c: float32[8,5], d_b_ru: float32[10], d_b_c: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c128_i32 = arith.constant 128 : i32
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c192 = arith.constant 192 : index
    %c640 = arith.constant 640 : index
    %c576 = arith.constant 576 : index
    %c512 = arith.constant 512 : index
    %c20 = arith.constant 20 : index
    %c160 = arith.constant 160 : index
    %c320 = arith.constant 320 : index
    %c64 = arith.constant 64 : index
    %c80 = arith.constant 80 : index
    %c40 = arith.constant 40 : index
    %c24 = arith.constant 24 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c2, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<2x3xf32> in !stream.resource<external>{%c24}
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg2 : !hal.buffer_view> message("input2") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg2 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg3 : !hal.buffer_view> message("input3") shape([%c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %3 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg3 : !hal.buffer_view -> tensor<2x5xf32> in !stream.resource<external>{%c40}
    hal.buffer_view.assert<%arg4 : !hal.buffer_view> message("input4") shape([%c2, %c10]) type(%element_type_f32) encoding(%dense_row_major)
    %4 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg4 : !hal.buffer_view -> tensor<2x10xf32> in !stream.resource<external>{%c80}
    %5 = util.optimization_barrier %4 : !stream.resource<external>
    %6 = util.optimization_barrier %3 : !stream.resource<external>
    %7 = util.optimization_barrier %2 : !stream.resource<external>
    %8 = util.optimization_barrier %1 : !stream.resource<external>
    %9 = util.optimization_barrier %0 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c640} => !stream.timepoint
    %result_0, %result_timepoint_1 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<transient>{%c192} => !stream.timepoint
    %10 = stream.timepoint.join max(%result_timepoint, %result_timepoint_1) => !stream.timepoint
    %11 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%10) => with(%9 as %arg5: !stream.resource<external>{%c24}, %8 as %arg6: !stream.resource<external>{%c40}, %5 as %arg7: !stream.resource<external>{%c80}, %7 as %arg8: !stream.resource<external>{%c40}, %6 as %arg9: !stream.resource<external>{%c40}, %result as %arg10: !stream.resource<external>{%c640}, %result_0 as %arg11: !stream.resource<transient>{%c192}) {
      stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_0::@gru_block_cell_parameter_grad_dispatch_0_slow_memcpy {
        ro %arg5[%c0 for %c24] : !stream.resource<external>{%c24},
        rw %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
      }
      stream.cmd.copy %arg11[%c0], %arg11[%c64], %c64 : !stream.resource<transient>{%c192} -> !stream.resource<transient>{%c192}
      stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_1::@gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%c0_i32, %c64_i32 : i32, i32) {
        ro %arg6[%c0 for %c40] : !stream.resource<external>{%c40},
        rw %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_2::@gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32 {
          ro %arg11[%c0 for %c192] : !stream.resource<transient>{%c192},
          ro %arg7[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_3::@gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32 {
          ro %arg8[%c0 for %c40] : !stream.resource<external>{%c40},
          ro %arg6[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
        }
      }
      stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_1::@gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%c128_i32, %c0_i32 : i32, i32) {
        ro %arg11[%c0 for %c192] : !stream.resource<transient>{%c192},
        rw %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_5::@gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32 {
          ro %arg11[%c0 for %c192] : !stream.resource<transient>{%c192},
          ro %arg9[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_6::@gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32 {
          ro %arg7[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_7::@gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32 {
          ro %arg9[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
      }
    } => !stream.timepoint
    %12 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%11) => %result_0 : !stream.resource<transient>{%c192} => !stream.timepoint
    %13 = stream.timepoint.await %12 => %result : !stream.resource<external>{%c640}
    %14 = stream.resource.subview %13[%c0] : !stream.resource<external>{%c640} -> !stream.resource<external>{%c320}
    %15 = stream.resource.subview %13[%c320] : !stream.resource<external>{%c640} -> !stream.resource<external>{%c160}
    %16 = stream.resource.subview %13[%c512] : !stream.resource<external>{%c640} -> !stream.resource<external>{%c40}
    %17 = stream.resource.subview %13[%c576] : !stream.resource<external>{%c640} -> !stream.resource<external>{%c20}
    %18 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %14 : tensor<8x10xf32> in !stream.resource<external>{%c320} -> !hal.buffer_view
    %19 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %15 : tensor<8x5xf32> in !stream.resource<external>{%c160} -> !hal.buffer_view
    %20 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %16 : tensor<10xf32> in !stream.resource<external>{%c40} -> !hal.buffer_view
    %21 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %17 : tensor<5xf32> in !stream.resource<external>{%c20} -> !hal.buffer_view
    util.return %18, %19, %20, %21 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @onnx_lstm_prepack_dispatch_0 {
    stream.executable.export public @onnx_lstm_prepack_dispatch_0_elementwise_20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0 = arith.constant 0 : index
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>] : index
        %2 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>>
        %3 = stream.binding.subspan %arg1[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        %4 = tensor.empty() : tensor<20xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 20], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %6 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %7 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%6, %5 : tensor<20xf32>, tensor<20xf32>) outs(%4 : tensor<20xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %8 = arith.addf %in, %in_0 : f32
          linalg.yield %8 : f32
        } -> tensor<20xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %3, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepack_dispatch_1 {
    stream.executable.export public @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0 = arith.constant 0 : index
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 128, umax = 128, udiv = 128>, <umin = 960, umax = 960, udiv = 960>] : index
        %2 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>>
        %3 = stream.binding.subspan %arg1[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>
        %4 = tensor.empty() : tensor<5x20xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [1, 20, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>> -> tensor<20x5xf32>
        %6 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<20x5xf32>) outs(%4 : tensor<5x20xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<5x20xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %3, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : tensor<5x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepack_dispatch_2 {
    stream.executable.export public @onnx_lstm_prepack_dispatch_2_elementwise_20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0 = arith.constant 0 : index
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 576, umax = 576, udiv = 576>, <umin = 2496, umax = 2496, udiv = 2496>] : index
        %2 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>>
        %3 = stream.binding.subspan %arg1[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        %4 = tensor.empty() : tensor<20xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [1, 20], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %6 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [1, 0], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %7 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%6, %5 : tensor<20xf32>, tensor<20xf32>) outs(%4 : tensor<20xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %8 = arith.addf %in, %in_0 : f32
          linalg.yield %8 : f32
        } -> tensor<20xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %3, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepack_dispatch_3 {
    stream.executable.export public @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0 = arith.constant 0 : index
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 704, umax = 704, udiv = 704>, <umin = 2624, umax = 2624, udiv = 2624>] : index
        %2 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>>
        %3 = stream.binding.subspan %arg1[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>
        %4 = tensor.empty() : tensor<5x20xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [1, 0, 0], sizes = [1, 20, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>> -> tensor<20x5xf32>
        %6 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<20x5xf32>) outs(%4 : tensor<5x20xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<5x20xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %3, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : tensor<5x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>
        return
      }
    }
  }
  util.func public @onnx_lstm_prepack(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_lstm_prepack(%input0: tensor<2x20x3xf32>, %input1: tensor<2x20x5xf32>, %input2: tensor<2x40xf32>, %input3: tensor<2x15xf32>) -> (%output0: tensor<20xf32>, %output1: tensor<5x20xf32>, %output2: tensor<20xf32>, %output3: tensor<5x20xf32>)"}} {
    %c704_i32 = arith.constant 704 : i32
    %c576_i32 = arith.constant 576 : i32
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1152 = arith.constant 1152 : index
    %c704 = arith.constant 704 : index
    %c576 = arith.constant 576 : index
    %c128 = arith.constant 128 : index
    %c400 = arith.constant 400 : index
    %c80 = arith.constant 80 : index
    %c320 = arith.constant 320 : index
    %c800 = arith.constant 800 : index
    %c40 = arith.constant 40 : index
    %c5 = arith.constant 5 : index
    %c20 = arith.constant 20 : index
    %c2 = arith.constant 2 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c2, %c20, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<2x20x5xf32> in !stream.resource<external>{%c800}
    hal.buffer_view.assert<%arg2 : !hal.buffer_view> message("input2") shape([%c2, %c40]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg2 : !hal.buffer_view -> tensor<2x40xf32> in !stream.resource<external>{%c320}
    %2 = util.optimization_barrier %1 : !stream.resource<external>
    %3 = util.optimization_barrier %0 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c1152} => !stream.timepoint
    %4 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%result_timepoint) => with(%2 as %arg4: !stream.resource<external>{%c320}, %3 as %arg5: !stream.resource<external>{%c800}, %result as %arg6: !stream.resource<external>{%c1152}) {
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_0::@onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%c0_i32 : i32) {
          ro %arg4[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_1::@onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%c128_i32 : i32) {
          ro %arg5[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_2::@onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%c576_i32 : i32) {
          ro %arg4[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_3::@onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%c704_i32 : i32) {
          ro %arg5[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
      }
    } => !stream.timepoint
    %5 = stream.timepoint.await %4 => %result : !stream.resource<external>{%c1152}
    %6 = stream.resource.subview %5[%c0] : !stream.resource<external>{%c1152} -> !stream.resource<external>{%c80}
    %7 = stream.resource.subview %5[%c128] : !stream.resource<external>{%c1152} -> !stream.resource<external>{%c400}
    %8 = stream.resource.subview %5[%c576] : !stream.resource<external>{%c1152} -> !stream.resource<external>{%c80}
    %9 = stream.resource.subview %5[%c704] : !stream.resource<external>{%c1152} -> !stream.resource<external>{%c400}
    %10 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %6 : tensor<20xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    %11 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %7 : tensor<5x20xf32> in !stream.resource<external>{%c400} -> !hal.buffer_view
    %12 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %8 : tensor<20xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    %13 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %9 : tensor<5x20xf32> in !stream.resource<external>{%c400} -> !hal.buffer_view
    util.return %10, %11, %12, %13 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_0 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_0_reduction_2_i32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_0_reduction_2_i32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0_i32 = arith.constant 0 : i32
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %3 = tensor.empty() : tensor<i32>
        %4 = linalg.fill ins(%c0_i32 : i32) outs(%3 : tensor<i32>) -> tensor<i32>
        %5 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["reduction"]} ins(%2 : tensor<2xi32>) outs(%4 : tensor<i32>) {
        ^bb0(%in: i32, %out: i32):
          %6 = arith.maxsi %out, %in : i32
          linalg.yield %6 : i32
        } -> tensor<i32>
        iree_tensor_ext.dispatch.tensor.store %5, %1, offsets = [], sizes = [], strides = [] : tensor<i32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_1 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_1_elementwise workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_1_elementwise(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0_i32 = arith.constant 0 : i32
        %c0 = arith.constant 0 : index
        %c4_i32 = arith.constant 4 : i32
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 64, umax = 64, udiv = 64>, <umin = 64, umax = 64, udiv = 64>, <umin = 384, umax = 384, udiv = 384>] : index
        %2 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i32>>
        %3 = stream.binding.subspan %arg1[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>
        %4 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i32>> -> tensor<i32>
        %5 = tensor.empty() : tensor<i64>
        %6 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%4 : tensor<i32>) outs(%5 : tensor<i64>) {
        ^bb0(%in: i32, %out: i64):
          %7 = arith.maxsi %in, %c0_i32 : i32
          %8 = arith.minui %7, %c4_i32 : i32
          %9 = arith.extsi %8 : i32 to i64
          linalg.yield %9 : i64
        } -> tensor<i64>
        iree_tensor_ext.dispatch.tensor.store %6, %3, offsets = [], sizes = [], strides = [] : tensor<i64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_2 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0_i32 = arith.constant 0 : i32
        %c4_i32 = arith.constant 4 : i32
        %c0 = arith.constant 0 : index
        %c128 = arith.constant 128 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %1 = stream.binding.subspan %arg1[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %3 = tensor.empty() : tensor<2xi64>
        %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%2 : tensor<2xi32>) outs(%3 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %5 = arith.maxsi %in, %c0_i32 : i32
          %6 = arith.minui %5, %c4_i32 : i32
          %7 = arith.extsi %6 : i32 to i64
          linalg.yield %7 : i64
        } -> tensor<2xi64>
        iree_tensor_ext.dispatch.tensor.store %4, %1, offsets = [0], sizes = [2], strides = [1] : tensor<2xi64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_3 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c192 = arith.constant 192 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>>
        %2 = stream.binding.subspan %arg2[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>> -> tensor<8x3xf32>
        %4 = tensor.empty() : tensor<8x20xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0], sizes = [1, 20, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>> -> tensor<20x3xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x20xf32>) -> tensor<8x20xf32>
        %7 = linalg.matmul indexing_maps = [#map5, #map6, #map7] ins(%3, %5 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%6 : tensor<8x20xf32>) -> tensor<8x20xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : tensor<8x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_4 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: i32) {
        %c0 = arith.constant 0 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg3 : i32 to index
        %1 = util.assume.int %0[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 1856, umax = 1856, udiv = 1856>] : index
        %2 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>>
        %3 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>>
        %4 = stream.binding.subspan %arg2[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>> -> tensor<8x3xf32>
        %6 = tensor.empty() : tensor<8x20xf32>
        %7 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [1, 0, 0], sizes = [1, 20, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>> -> tensor<20x3xf32>
        %8 = linalg.fill ins(%cst : f32) outs(%6 : tensor<8x20xf32>) -> tensor<8x20xf32>
        %9 = linalg.matmul indexing_maps = [#map5, #map6, #map7] ins(%5, %7 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%8 : tensor<8x20xf32>) -> tensor<8x20xf32>
        iree_tensor_ext.dispatch.tensor.store %9, %4, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : tensor<8x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_5 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_5_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_5_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32) {
        %c0 = arith.constant 0 : index
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = util.assume.int %0[<umin = 832, umax = 832, udiv = 832>, <umin = 1408, umax = 1408, udiv = 1408>] : index
        %2 = stream.binding.subspan %arg0[%1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %3 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>
        %4 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %3, offsets = [0, 0, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_prepacked_dispatch_6 {
    stream.executable.export public @onnx_lstm_prepacked_dispatch_6_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_6_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c192 = arith.constant 192 : index
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 1, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>
        return
      }
    }
  }
  util.func public @onnx_lstm_prepacked(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.fence, %arg13: !hal.fence) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "async func @onnx_lstm_prepacked(%input0: tensor<4x2x3xf32>, %input1: tensor<2x20x3xf32>, %input2: tensor<2x20x5xf32>, %input3: tensor<2x40xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<2x2x5xf32>, %input7: tensor<2x15xf32>, %input8: tensor<20xf32>, %input9: tensor<5x20xf32>, %input10: tensor<20xf32>, %input11: tensor<5x20xf32>) -> (%output0: tensor<4x2x2x5xf32>, %output1: tensor<2x2x5xf32>, %output2: tensor<2x2x5xf32>)", iree.abi.model = "coarse-fences"}} {
    %c1280_i32 = arith.constant 1280 : i32
    %c1152_i32 = arith.constant 1152 : i32
    %c1024_i32 = arith.constant 1024 : i32
    %c832_i32 = arith.constant 832 : i32
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c488 = arith.constant 488 : index
    %c360 = arith.constant 360 : index
    %c1920 = arith.constant 1920 : index
    %c512 = arith.constant 512 : index
    %c384 = arith.constant 384 : index
    %c1152 = arith.constant 1152 : index
    %c1024 = arith.constant 1024 : index
    %c576 = arith.constant 576 : index
    %c448 = arith.constant 448 : index
    %c320 = arith.constant 320 : index
    %c40 = arith.constant 40 : index
    %c400 = arith.constant 400 : index
    %c120 = arith.constant 120 : index
    %c80 = arith.constant 80 : index
    %c8 = arith.constant 8 : index
    %c480 = arith.constant 480 : index
    %c96 = arith.constant 96 : index
    %c15 = arith.constant 15 : index
    %c20 = arith.constant 20 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c4, %c2, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<4x2x3xf32> in !stream.resource<external>{%c96}
    %1 = stream.timepoint.import on(#hal.device.affinity<@__device_0>) %arg12 : (!hal.fence) => !stream.timepoint
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c2, %c20, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<2x20x3xf32> in !stream.resource<external>{%c480}
    %element_type_i32 = hal.element_type<i32> : i32
    hal.buffer_view.assert<%arg4 : !hal.buffer_view> message("input4") shape([%c2]) type(%element_type_i32) encoding(%dense_row_major)
    %3 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg4 : !hal.buffer_view -> tensor<2xi32> in !stream.resource<external>{%c8}
    hal.buffer_view.assert<%arg5 : !hal.buffer_view> message("input5") shape([%c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %4 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg5 : !hal.buffer_view -> tensor<2x2x5xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg6 : !hal.buffer_view> message("input6") shape([%c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %5 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg6 : !hal.buffer_view -> tensor<2x2x5xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg7 : !hal.buffer_view> message("input7") shape([%c2, %c15]) type(%element_type_f32) encoding(%dense_row_major)
    %6 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg7 : !hal.buffer_view -> tensor<2x15xf32> in !stream.resource<external>{%c120}
    hal.buffer_view.assert<%arg8 : !hal.buffer_view> message("input8") shape([%c20]) type(%element_type_f32) encoding(%dense_row_major)
    %7 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg8 : !hal.buffer_view -> tensor<20xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg9 : !hal.buffer_view> message("input9") shape([%c5, %c20]) type(%element_type_f32) encoding(%dense_row_major)
    %8 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg9 : !hal.buffer_view -> tensor<5x20xf32> in !stream.resource<external>{%c400}
    hal.buffer_view.assert<%arg10 : !hal.buffer_view> message("input10") shape([%c20]) type(%element_type_f32) encoding(%dense_row_major)
    %9 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg10 : !hal.buffer_view -> tensor<20xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg11 : !hal.buffer_view> message("input11") shape([%c5, %c20]) type(%element_type_f32) encoding(%dense_row_major)
    %10 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg11 : !hal.buffer_view -> tensor<5x20xf32> in !stream.resource<external>{%c400}
    %11:10 = stream.timepoint.await %1 => %6, %5, %4, %3, %2, %0, %7, %8, %9, %10 : !stream.resource<external>{%c120}, !stream.resource<external>{%c80}, !stream.resource<external>{%c80}, !stream.resource<external>{%c8}, !stream.resource<external>{%c480}, !stream.resource<external>{%c96}, !stream.resource<external>{%c80}, !stream.resource<external>{%c400}, !stream.resource<external>{%c80}, !stream.resource<external>{%c400}
    %12 = util.optimization_barrier %11#0 : !stream.resource<external>
    %13 = util.optimization_barrier %11#1 : !stream.resource<external>
    %14 = util.optimization_barrier %11#2 : !stream.resource<external>
    %15 = util.optimization_barrier %11#3 : !stream.resource<external>
    %16 = util.optimization_barrier %11#4 : !stream.resource<external>
    %17 = util.optimization_barrier %11#5 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) await(%1) => !stream.resource<external>{%c576} => !stream.timepoint
    %18 = stream.resource.subview %result[%c0] : !stream.resource<external>{%c576} -> !stream.resource<external>{%c320}
    %19 = stream.resource.subview %result[%c320] : !stream.resource<external>{%c576} -> !stream.resource<external>{%c80}
    %20 = stream.resource.subview %result[%c448] : !stream.resource<external>{%c576} -> !stream.resource<external>{%c80}
    %result_0, %result_timepoint_1 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) await(%1) => !stream.resource<transient>{%c1920} => !stream.timepoint
    %21 = stream.timepoint.join max(%result_timepoint, %result_timepoint_1) => !stream.timepoint
    %22 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%21) => with(%15 as %arg14: !stream.resource<external>{%c8}, %16 as %arg15: !stream.resource<external>{%c480}, %17 as %arg16: !stream.resource<external>{%c96}, %12 as %arg17: !stream.resource<external>{%c120}, %7 as %arg18: !stream.resource<external>{%c80}, %8 as %arg19: !stream.resource<external>{%c400}, %14 as %arg20: !stream.resource<external>{%c80}, %13 as %arg21: !stream.resource<external>{%c80}, %9 as %arg22: !stream.resource<external>{%c80}, %10 as %arg23: !stream.resource<external>{%c400}, %result as %arg24: !stream.resource<external>{%c576}, %result_0 as %arg25: !stream.resource<transient>{%c1920}) {
      stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_0::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
        ro %arg14[%c0 for %c8] : !stream.resource<external>{%c8},
        wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_1::@onnx_lstm_prepacked_dispatch_1_elementwise(%c64_i32 : i32) {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_2::@onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 {
          ro %arg14[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_3::@onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 {
          ro %arg15[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg16[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%c0_i32, %c0_i32, %c832_i32, %c1024_i32, %c1152_i32 : i32, i32, i32, i32, i32) {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          ro %arg17[%c0 for %c120] : !stream.resource<external>{%c120},
          ro %arg18[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg19[%c0 for %c400] : !stream.resource<external>{%c400},
          ro %arg20[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg21[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_4::@onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%c1280_i32 : i32) {
          ro %arg15[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg16[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%c1280_i32, %c0_i32, %c0_i32 : i32, i32, i32) {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          ro %arg17[%c0 for %c120] : !stream.resource<external>{%c120},
          ro %arg22[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg23[%c0 for %c400] : !stream.resource<external>{%c400},
          ro %arg20[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg21[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_5::@onnx_lstm_prepacked_dispatch_5_slow_memcpy(%c832_i32 : i32) {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          rw %arg24[%c0 for %c576] : !stream.resource<external>{%c576}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_6::@onnx_lstm_prepacked_dispatch_6_slow_memcpy {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          rw %arg24[%c0 for %c576] : !stream.resource<external>{%c576}
        }
        stream.cmd.copy %arg25[%c1024], %arg24[%c320], %c40 : !stream.resource<transient>{%c1920} -> !stream.resource<external>{%c576}
        stream.cmd.copy %arg25[%c384], %arg24[%c360], %c40 : !stream.resource<transient>{%c1920} -> !stream.resource<external>{%c576}
        stream.cmd.copy %arg25[%c1152], %arg24[%c448], %c40 : !stream.resource<transient>{%c1920} -> !stream.resource<external>{%c576}
        stream.cmd.copy %arg25[%c512], %arg24[%c488], %c40 : !stream.resource<transient>{%c1920} -> !stream.resource<external>{%c576}
      }
    } => !stream.timepoint
    %23 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%22) => %result_0 : !stream.resource<transient>{%c1920} => !stream.timepoint
    stream.timepoint.chain_external on(#hal.device.affinity<@__device_0>) %23 => (%arg13 : !hal.fence)
    %24 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %18 : tensor<4x2x2x5xf32> in !stream.resource<external>{%c320} -> !hal.buffer_view
    %25 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %19 : tensor<2x2x5xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    %26 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %20 : tensor<2x2x5xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    util.return %24, %25, %26 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  util.func public @onnx_lstm(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_lstm(%input0: tensor<4x2x3xf32>, %input1: tensor<2x20x3xf32>, %input2: tensor<2x20x5xf32>, %input3: tensor<2x40xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<2x2x5xf32>, %input7: tensor<2x15xf32>) -> (%output0: tensor<4x2x2x5xf32>, %output1: tensor<2x2x5xf32>, %output2: tensor<2x2x5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,20,3], R: float32[2,20,5], B: float32[2,40], sequence_lens: int32[2], initial_h: float32[2,2,5], initial_c: float32[2,2,5], P: float32[2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22HardSigmoid Softsign Elu Sigmoid ScaledTanh Softplus\22, \22activation_alpha\22: \220.3 1.2 0.8\22, \22activation_beta\22: \220.4 0.9\22, \22clip\22: 2.5, \22hidden_size\22: 0, \22layout\22: 0, \22input_forget\22: 0, \22inputs\22: \22B sequence_lens initial_h initial_c P\22, \22is_training\22: false}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.LSTM", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "Y: float32[4,2,2,5], Y_h: float32[2,2,5], Y_c: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c2624_i32 = arith.constant 2624 : i32
    %c2496_i32 = arith.constant 2496 : i32
    %c1856_i32 = arith.constant 1856 : i32
    %c1728_i32 = arith.constant 1728 : i32
    %c1600_i32 = arith.constant 1600 : i32
    %c1408_i32 = arith.constant 1408 : i32
    %c960_i32 = arith.constant 960 : i32
    %c832_i32 = arith.constant 832 : i32
    %c64_i32 = arith.constant 64 : i32
    %c0 = arith.constant 0 : index
    %c488 = arith.constant 488 : index
    %c360 = arith.constant 360 : index
    %c3072 = arith.constant 3072 : index
    %c512 = arith.constant 512 : index
    %c384 = arith.constant 384 : index
    %c1728 = arith.constant 1728 : index
    %c1600 = arith.constant 1600 : index
    %c576 = arith.constant 576 : index
    %c448 = arith.constant 448 : index
    %c120 = arith.constant 120 : index
    %c80 = arith.constant 80 : index
    %c8 = arith.constant 8 : index
    %c320 = arith.constant 320 : index
    %c800 = arith.constant 800 : index
    %c480 = arith.constant 480 : index
    %c96 = arith.constant 96 : index
    %c15 = arith.constant 15 : index
    %c40 = arith.constant 40 : index
    %c20 = arith.constant 20 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c4, %c2, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<4x2x3xf32> in !stream.resource<external>{%c96}
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c2, %c20, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<2x20x3xf32> in !stream.resource<external>{%c480}
    hal.buffer_view.assert<%arg2 : !hal.buffer_view> message("input2") shape([%c2, %c20, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg2 : !hal.buffer_view -> tensor<2x20x5xf32> in !stream.resource<external>{%c800}
    hal.buffer_view.assert<%arg3 : !hal.buffer_view> message("input3") shape([%c2, %c40]) type(%element_type_f32) encoding(%dense_row_major)
    %3 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg3 : !hal.buffer_view -> tensor<2x40xf32> in !stream.resource<external>{%c320}
    %element_type_i32 = hal.element_type<i32> : i32
    hal.buffer_view.assert<%arg4 : !hal.buffer_view> message("input4") shape([%c2]) type(%element_type_i32) encoding(%dense_row_major)
    %4 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg4 : !hal.buffer_view -> tensor<2xi32> in !stream.resource<external>{%c8}
    hal.buffer_view.assert<%arg5 : !hal.buffer_view> message("input5") shape([%c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %5 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg5 : !hal.buffer_view -> tensor<2x2x5xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg6 : !hal.buffer_view> message("input6") shape([%c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %6 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg6 : !hal.buffer_view -> tensor<2x2x5xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg7 : !hal.buffer_view> message("input7") shape([%c2, %c15]) type(%element_type_f32) encoding(%dense_row_major)
    %7 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg7 : !hal.buffer_view -> tensor<2x15xf32> in !stream.resource<external>{%c120}
    %8 = util.optimization_barrier %7 : !stream.resource<external>
    %9 = util.optimization_barrier %6 : !stream.resource<external>
    %10 = util.optimization_barrier %5 : !stream.resource<external>
    %11 = util.optimization_barrier %4 : !stream.resource<external>
    %12 = util.optimization_barrier %3 : !stream.resource<external>
    %13 = util.optimization_barrier %2 : !stream.resource<external>
    %14 = util.optimization_barrier %1 : !stream.resource<external>
    %15 = util.optimization_barrier %0 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c576} => !stream.timepoint
    %result_0, %result_timepoint_1 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<transient>{%c3072} => !stream.timepoint
    %16 = stream.timepoint.join max(%result_timepoint, %result_timepoint_1) => !stream.timepoint
    %17 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%16) => with(%11 as %arg8: !stream.resource<external>{%c8}, %14 as %arg9: !stream.resource<external>{%c480}, %15 as %arg10: !stream.resource<external>{%c96}, %12 as %arg11: !stream.resource<external>{%c320}, %13 as %arg12: !stream.resource<external>{%c800}, %8 as %arg13: !stream.resource<external>{%c120}, %10 as %arg14: !stream.resource<external>{%c80}, %9 as %arg15: !stream.resource<external>{%c80}, %result as %arg16: !stream.resource<external>{%c576}, %result_0 as %arg17: !stream.resource<transient>{%c3072}) {
      stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_0::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
        ro %arg8[%c0 for %c8] : !stream.resource<external>{%c8},
        wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_1::@onnx_lstm_prepacked_dispatch_1_elementwise(%c64_i32 : i32) {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_2::@onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 {
          ro %arg8[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_3::@onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 {
          ro %arg9[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg10[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_0::@onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%c832_i32 : i32) {
          ro %arg11[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_1::@onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%c960_i32 : i32) {
          ro %arg12[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%c832_i32, %c960_i32, %c1408_i32, %c1600_i32, %c1728_i32 : i32, i32, i32, i32, i32) {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          ro %arg13[%c0 for %c120] : !stream.resource<external>{%c120},
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          ro %arg14[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg15[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_4::@onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%c1856_i32 : i32) {
          ro %arg9[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg10[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_2::@onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%c2496_i32 : i32) {
          ro %arg11[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_3::@onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%c2624_i32 : i32) {
          ro %arg12[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%c1856_i32, %c2496_i32, %c2624_i32 : i32, i32, i32) {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          ro %arg13[%c0 for %c120] : !stream.resource<external>{%c120},
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          ro %arg14[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg15[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_5::@onnx_lstm_prepacked_dispatch_5_slow_memcpy(%c1408_i32 : i32) {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          rw %arg16[%c0 for %c576] : !stream.resource<external>{%c576}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_6::@onnx_lstm_prepacked_dispatch_6_slow_memcpy {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          rw %arg16[%c0 for %c576] : !stream.resource<external>{%c576}
        }
        stream.cmd.copy %arg17[%c1600], %arg16[%c320], %c40 : !stream.resource<transient>{%c3072} -> !stream.resource<external>{%c576}
        stream.cmd.copy %arg17[%c384], %arg16[%c360], %c40 : !stream.resource<transient>{%c3072} -> !stream.resource<external>{%c576}
        stream.cmd.copy %arg17[%c1728], %arg16[%c448], %c40 : !stream.resource<transient>{%c3072} -> !stream.resource<external>{%c576}
        stream.cmd.copy %arg17[%c512], %arg16[%c488], %c40 : !stream.resource<transient>{%c3072} -> !stream.resource<external>{%c576}
      }
    } => !stream.timepoint
    %18 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%17) => %result_0 : !stream.resource<transient>{%c3072} => !stream.timepoint
    %19 = stream.timepoint.await %18 => %result : !stream.resource<external>{%c576}
    %20 = stream.resource.subview %19[%c0] : !stream.resource<external>{%c576} -> !stream.resource<external>{%c320}
    %21 = stream.resource.subview %19[%c320] : !stream.resource<external>{%c576} -> !stream.resource<external>{%c80}
    %22 = stream.resource.subview %19[%c448] : !stream.resource<external>{%c576} -> !stream.resource<external>{%c80}
    %23 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %20 : tensor<4x2x2x5xf32> in !stream.resource<external>{%c320} -> !hal.buffer_view
    %24 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %21 : tensor<2x2x5xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    %25 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %22 : tensor<2x2x5xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    util.return %23, %24, %25 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @onnx_lstm_lstm_forward_loop {
    stream.executable.export public @onnx_lstm_lstm_forward_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_lstm_forward_loop(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: i32, %arg10: i32, %arg11: i32, %arg12: i32, %arg13: i32) attributes {translation_info = #translation} {
        %c40 = arith.constant 40 : index
        %c20 = arith.constant 20 : index
        %c128 = arith.constant 128 : index
        %c192 = arith.constant 192 : index
        %c64 = arith.constant 64 : index
        %c0 = arith.constant 0 : index
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3_i64 = arith.constant 3 : i64
        %cst = arith.constant 0.000000e+00 : f32
        %cst_0 = arith.constant dense<0.000000e+00> : vector<5xf32>
        %cst_1 = arith.constant dense<-2.500000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %cst_2 = arith.constant dense<2.500000e+00> : vector<5xf32>
        %cst_3 = arith.constant dense<3.000000e-01> : vector<5xf32>
        %cst_4 = arith.constant dense<4.000000e-01> : vector<5xf32>
        %cst_5 = arith.constant dense<1.000000e+00> : vector<5xf32>
        %c15 = arith.constant 15 : index
        %c10 = arith.constant 10 : index
        %cst_6 = arith.constant dense<1.200000e+00> : vector<5xf32>
        %c4 = arith.constant 4 : index
        %0 = arith.index_castui %arg9 : i32 to index
        %1 = arith.index_castui %arg10 : i32 to index
        %2 = arith.index_castui %arg11 : i32 to index
        %3 = arith.index_castui %arg12 : i32 to index
        %4 = arith.index_castui %arg13 : i32 to index
        %5:5 = util.assume.int 
            %0[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>], 
            %1[<umin = 0, umax = 0>, <umin = 960, umax = 960, udiv = 960>], 
            %2[<umin = 832, umax = 832, udiv = 832>, <umin = 1408, umax = 1408, udiv = 1408>], 
            %3[<umin = 1024, umax = 1024, udiv = 1024>, <umin = 1600, umax = 1600, udiv = 1600>], 
            %4[<umin = 1152, umax = 1152, udiv = 1152>, <umin = 1728, umax = 1728, udiv = 1728>]
          : index, index, index, index, index
        %6 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %7[] : tensor<i64>
        %8 = stream.binding.subspan %arg0[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>> -> tensor<4x2x20xf32>
        %10 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %12 = stream.binding.subspan %arg1[%c20] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %14 = stream.binding.subspan %arg1[%c40] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %16 = stream.binding.subspan %arg0[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %18 = stream.binding.subspan %arg2[%5#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0], sizes = [20], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>> -> tensor<20xf32>
        %20 = stream.binding.subspan %arg3[%5#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>> -> tensor<5x20xf32>
        %22 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %24 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %26 = stream.binding.subspan %arg6[%5#2] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %28 = stream.binding.subspan %arg7[%5#3] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %30 = stream.binding.subspan %arg8[%5#4] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %31 = iree_tensor_ext.dispatch.tensor.load %30, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %32 = arith.maxsi %extracted, %c0_i64 : i64
        %33 = arith.minsi %32, %c4_i64 : i64
        %34 = arith.index_cast %33 : i64 to index
        %35 = arith.remui %34, %c2 : index
        %inserted_slice = tensor.insert_slice %23 into %29[%35, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_7 = tensor.insert_slice %25 into %31[%35, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %36:3 = scf.for %arg14 = %c0 to %34 step %c1 iter_args(%arg15 = %27, %arg16 = %inserted_slice, %arg17 = %inserted_slice_7) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %39 = arith.index_cast %arg14 : index to i64
          %40 = arith.subi %34, %arg14 : index
          %41 = arith.remui %40, %c2 : index
          %42 = arith.subi %c1, %41 : index
          %43 = arith.maxsi %39, %c0_i64 : i64
          %44 = arith.minsi %43, %c3_i64 : i64
          %45 = arith.index_cast %44 : i64 to index
          %extracted_slice = tensor.extract_slice %arg16[%41, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %46 = tensor.empty() : tensor<2x20xf32>
          %47 = linalg.fill {lowering_config = #config3} ins(%cst : f32) outs(%46 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %48 = linalg.matmul {lowering_config = #config4} ins(%extracted_slice, %21 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%47 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %49:3 = scf.for %arg18 = %c0 to %c2 step %c1 iter_args(%arg19 = %arg15, %arg20 = %arg16, %arg21 = %arg17) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %extracted_8 = tensor.extract %17[%arg18] : tensor<2xi64>
            %50 = vector.broadcast %extracted_8 : i64 to vector<5xi64>
            %51 = vector.broadcast %39 : i64 to vector<5xi64>
            %52 = arith.cmpi sgt, %50, %51 : vector<5xi64>
            %53 = arith.maxsi %39, %c0_i64 : i64
            %54 = arith.minsi %53, %c3_i64 : i64
            %55 = arith.index_cast %54 : i64 to index
            %56 = vector.transfer_read %9[%55, %arg18, %c5], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %57 = vector.transfer_read %19[%c5], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %58 = arith.addf %56, %57 : vector<5xf32>
            %59 = vector.transfer_read %48[%arg18, %c5], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %60 = arith.addf %58, %59 : vector<5xf32>
            %61 = arith.maxsi %39, %c0_i64 : i64
            %62 = arith.minsi %61, %c3_i64 : i64
            %63 = arith.index_cast %62 : i64 to index
            %64 = vector.transfer_read %9[%63, %arg18, %c0], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %65 = vector.transfer_read %19[%c0], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %66 = arith.addf %64, %65 : vector<5xf32>
            %67 = vector.transfer_read %48[%arg18, %c0], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %68 = arith.addf %66, %67 : vector<5xf32>
            %69 = vector.transfer_read %arg21[%41, %arg18, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %70 = vector.transfer_read %11[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %71 = arith.mulf %69, %70 : vector<5xf32>
            %72 = arith.addf %68, %71 : vector<5xf32>
            %73 = arith.maximumf %72, %cst_1 : vector<5xf32>
            %74 = arith.minimumf %73, %cst_2 : vector<5xf32>
            %75 = arith.mulf %74, %cst_3 : vector<5xf32>
            %76 = arith.addf %75, %cst_4 : vector<5xf32>
            %77 = arith.maximumf %76, %cst_0 : vector<5xf32>
            %78 = arith.minimumf %77, %cst_5 : vector<5xf32>
            %79 = arith.maxsi %39, %c0_i64 : i64
            %80 = arith.minsi %79, %c3_i64 : i64
            %81 = arith.index_cast %80 : i64 to index
            %82 = vector.transfer_read %9[%81, %arg18, %c15], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %83 = vector.transfer_read %19[%c15], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %84 = arith.addf %82, %83 : vector<5xf32>
            %85 = vector.transfer_read %48[%arg18, %c15], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %86 = arith.addf %84, %85 : vector<5xf32>
            %87 = arith.maximumf %86, %cst_1 : vector<5xf32>
            %88 = arith.minimumf %87, %cst_2 : vector<5xf32>
            %89 = math.absf %88 : vector<5xf32>
            %90 = arith.addf %89, %cst_5 : vector<5xf32>
            %91 = arith.divf %88, %90 : vector<5xf32>
            %92 = arith.mulf %78, %91 : vector<5xf32>
            %93 = arith.maxsi %39, %c0_i64 : i64
            %94 = arith.minsi %93, %c3_i64 : i64
            %95 = arith.index_cast %94 : i64 to index
            %96 = vector.transfer_read %9[%95, %arg18, %c10], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %97 = vector.transfer_read %19[%c10], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %98 = arith.addf %96, %97 : vector<5xf32>
            %99 = vector.transfer_read %48[%arg18, %c10], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %100 = arith.addf %98, %99 : vector<5xf32>
            %101 = vector.transfer_read %15[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %102 = arith.mulf %69, %101 : vector<5xf32>
            %103 = arith.addf %100, %102 : vector<5xf32>
            %104 = arith.maximumf %103, %cst_1 : vector<5xf32>
            %105 = arith.minimumf %104, %cst_2 : vector<5xf32>
            %106 = arith.mulf %105, %cst_3 : vector<5xf32>
            %107 = arith.addf %106, %cst_4 : vector<5xf32>
            %108 = arith.maximumf %107, %cst_0 : vector<5xf32>
            %109 = arith.minimumf %108, %cst_5 : vector<5xf32>
            %110 = arith.mulf %109, %69 : vector<5xf32>
            %111 = arith.addf %92, %110 : vector<5xf32>
            %112 = vector.transfer_read %13[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %113 = arith.mulf %111, %112 : vector<5xf32>
            %114 = arith.addf %60, %113 : vector<5xf32>
            %115 = arith.maximumf %114, %cst_1 : vector<5xf32>
            %116 = arith.minimumf %115, %cst_2 : vector<5xf32>
            %117 = arith.mulf %116, %cst_3 : vector<5xf32>
            %118 = arith.addf %117, %cst_4 : vector<5xf32>
            %119 = arith.maximumf %118, %cst_0 : vector<5xf32>
            %120 = arith.minimumf %119, %cst_5 : vector<5xf32>
            %121 = arith.cmpf oge, %111, %cst_0 : vector<5xf32>
            %122 = arith.minimumf %111, %cst_0 : vector<5xf32>
            %123 = math.exp %122 : vector<5xf32>
            %124 = arith.subf %123, %cst_5 : vector<5xf32>
            %125 = arith.mulf %124, %cst_6 : vector<5xf32>
            %126 = arith.select %121, %111, %125 : vector<5xi1>, vector<5xf32>
            %127 = arith.mulf %120, %126 : vector<5xf32>
            %128 = arith.select %52, %127, %cst_0 : vector<5xi1>, vector<5xf32>
            %129 = vector.transfer_read %arg20[%41, %arg18, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %130 = arith.select %52, %127, %129 : vector<5xi1>, vector<5xf32>
            %131 = arith.select %52, %111, %69 : vector<5xi1>, vector<5xf32>
            %132 = vector.transfer_write %128, %arg19[%45, %arg18, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x5xf32>
            %133 = vector.transfer_write %130, %arg20[%42, %arg18, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            %134 = vector.transfer_write %131, %arg21[%42, %arg18, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %132, %133, %134 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          scf.yield %49#0, %49#1, %49#2 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %37 = arith.addi %34, %workgroup_id_0 : index
        %38 = scf.for %arg14 = %37 to %c4 step %c1 iter_args(%arg15 = %36#0) -> (tensor<4x2x5xf32>) {
          %extracted_slice = tensor.extract_slice %arg15[%arg14, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<2x5xf32>
          %39 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x5xf32>) attrs =  {lowering_config = #config5} {
          ^bb0(%out: f32):
            linalg.yield %cst : f32
          } -> tensor<2x5xf32>
          %inserted_slice_8 = tensor.insert_slice %39 into %arg15[%arg14, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
          scf.yield %inserted_slice_8 : tensor<4x2x5xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %38, %26, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %36#1, %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %36#2, %30, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_lstm_lstm_forward_3_loop {
    stream.executable.export public @onnx_lstm_lstm_forward_3_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_lstm_forward_3_loop(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: i32, %arg10: i32, %arg11: i32) attributes {translation_info = #translation} {
        %c512 = arith.constant 512 : index
        %c384 = arith.constant 384 : index
        %c192 = arith.constant 192 : index
        %c40 = arith.constant 40 : index
        %c100 = arith.constant 100 : index
        %c80 = arith.constant 80 : index
        %c60 = arith.constant 60 : index
        %c128 = arith.constant 128 : index
        %c64 = arith.constant 64 : index
        %c0 = arith.constant 0 : index
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c1_i64 = arith.constant 1 : i64
        %c3_i64 = arith.constant 3 : i64
        %cst = arith.constant 0.000000e+00 : f32
        %cst_0 = arith.constant dense<-2.500000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %cst_1 = arith.constant dense<2.500000e+00> : vector<5xf32>
        %cst_2 = arith.constant dense<-8.900000e+01> : vector<5xf32>
        %cst_3 = arith.constant dense<6.400000e+01> : vector<5xf32>
        %cst_4 = arith.constant dense<-1.44269502> : vector<5xf32>
        %cst_5 = arith.constant dense<0x4B40007F> : vector<5xf32>
        %cst_6 = arith.constant dense<-0.693147182> : vector<5xf32>
        %cst_7 = arith.constant dense<1.90465421E-9> : vector<5xf32>
        %cst_8 = arith.constant dense<0.00138145394> : vector<5xf32>
        %cst_9 = arith.constant dense<0.00836874638> : vector<5xf32>
        %cst_10 = arith.constant dense<0.0416683927> : vector<5xf32>
        %cst_11 = arith.constant dense<0.166665211> : vector<5xf32>
        %cst_12 = arith.constant dense<0.49999994> : vector<5xf32>
        %cst_13 = arith.constant dense<2.500000e-01> : vector<5xf32>
        %cst_14 = arith.constant dense<23> : vector<5xi32>
        %c15 = arith.constant 15 : index
        %cst_15 = arith.constant dense<0.899999976> : vector<5xf32>
        %cst_16 = arith.constant dense<8.000000e-01> : vector<5xf32>
        %c10 = arith.constant 10 : index
        %cst_17 = arith.constant dense<0.000000e+00> : vector<5xf32>
        %c4 = arith.constant 4 : index
        %0 = arith.index_castui %arg9 : i32 to index
        %1 = arith.index_castui %arg10 : i32 to index
        %2 = arith.index_castui %arg11 : i32 to index
        %3:3 = util.assume.int 
            %0[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 1856, umax = 1856, udiv = 1856>], 
            %1[<umin = 0, umax = 0>, <umin = 2496, umax = 2496, udiv = 2496>], 
            %2[<umin = 0, umax = 0>, <umin = 2624, umax = 2624, udiv = 2624>]
          : index, index, index
        %4 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %5[] : tensor<i64>
        %6 = stream.binding.subspan %arg0[%3#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>> -> tensor<4x2x20xf32>
        %8 = stream.binding.subspan %arg1[%c60] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %10 = stream.binding.subspan %arg1[%c80] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %12 = stream.binding.subspan %arg1[%c100] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %14 = stream.binding.subspan %arg0[%c128] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %16 = stream.binding.subspan %arg2[%3#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0], sizes = [20], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>> -> tensor<20xf32>
        %18 = stream.binding.subspan %arg3[%3#2] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>> -> tensor<5x20xf32>
        %20 = stream.binding.subspan %arg4[%c40] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %22 = stream.binding.subspan %arg5[%c40] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %24 = stream.binding.subspan %arg6[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %26 = stream.binding.subspan %arg7[%c384] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %28 = stream.binding.subspan %arg8[%c512] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %30 = arith.maxsi %extracted, %c0_i64 : i64
        %31 = arith.minsi %30, %c4_i64 : i64
        %32 = arith.index_cast %31 : i64 to index
        %33 = arith.remui %32, %c2 : index
        %inserted_slice = tensor.insert_slice %21 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_18 = tensor.insert_slice %23 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %34:3 = scf.for %arg12 = %c0 to %32 step %c1 iter_args(%arg13 = %25, %arg14 = %inserted_slice, %arg15 = %inserted_slice_18) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %37 = arith.index_cast %arg12 : index to i64
          %38 = arith.subi %32, %arg12 : index
          %39 = arith.remui %38, %c2 : index
          %40 = arith.subi %c1, %39 : index
          %41 = arith.subi %extracted, %37 : i64
          %42 = arith.subi %41, %c1_i64 : i64
          %43 = arith.maxsi %42, %c0_i64 : i64
          %44 = arith.minsi %43, %c3_i64 : i64
          %45 = arith.index_cast %44 : i64 to index
          %extracted_slice = tensor.extract_slice %arg14[%39, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %46 = tensor.empty() : tensor<2x20xf32>
          %47 = linalg.fill {lowering_config = #config3} ins(%cst : f32) outs(%46 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %48 = linalg.matmul {lowering_config = #config4} ins(%extracted_slice, %19 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%47 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %49:3 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg13, %arg18 = %arg14, %arg19 = %arg15) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %extracted_19 = tensor.extract %15[%arg16] : tensor<2xi64>
            %50 = vector.broadcast %extracted_19 : i64 to vector<5xi64>
            %51 = vector.broadcast %42 : i64 to vector<5xi64>
            %52 = arith.cmpi sgt, %50, %51 : vector<5xi64>
            %53 = arith.maxsi %42, %c0_i64 : i64
            %54 = arith.minsi %53, %c3_i64 : i64
            %55 = arith.index_cast %54 : i64 to index
            %56 = vector.transfer_read %7[%55, %arg16, %c5], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %57 = vector.transfer_read %17[%c5], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %58 = arith.addf %56, %57 : vector<5xf32>
            %59 = vector.transfer_read %48[%arg16, %c5], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %60 = arith.addf %58, %59 : vector<5xf32>
            %61 = arith.maxsi %42, %c0_i64 : i64
            %62 = arith.minsi %61, %c3_i64 : i64
            %63 = arith.index_cast %62 : i64 to index
            %64 = vector.transfer_read %7[%63, %arg16, %c0], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %65 = vector.transfer_read %17[%c0], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %66 = arith.addf %64, %65 : vector<5xf32>
            %67 = vector.transfer_read %48[%arg16, %c0], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %68 = arith.addf %66, %67 : vector<5xf32>
            %69 = vector.transfer_read %arg19[%39, %arg16, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %70 = vector.transfer_read %9[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %71 = arith.mulf %69, %70 : vector<5xf32>
            %72 = arith.addf %68, %71 : vector<5xf32>
            %73 = arith.maximumf %72, %cst_0 : vector<5xf32>
            %74 = arith.minimumf %73, %cst_1 : vector<5xf32>
            %75 = arith.cmpf ogt, %cst_2, %74 : vector<5xf32>
            %76 = arith.select %75, %cst_2, %74 : vector<5xi1>, vector<5xf32>
            %77 = arith.cmpf olt, %cst_3, %76 : vector<5xf32>
            %78 = arith.select %77, %cst_3, %76 : vector<5xi1>, vector<5xf32>
            %79 = math.fma %78, %cst_4, %cst_5 : vector<5xf32>
            %80 = arith.subf %79, %cst_5 : vector<5xf32>
            %81 = arith.negf %78 : vector<5xf32>
            %82 = math.fma %80, %cst_6, %81 : vector<5xf32>
            %83 = math.fma %80, %cst_7, %82 : vector<5xf32>
            %84 = math.fma %cst_8, %83, %cst_9 : vector<5xf32>
            %85 = math.fma %84, %83, %cst_10 : vector<5xf32>
            %86 = math.fma %85, %83, %cst_11 : vector<5xf32>
            %87 = math.fma %86, %83, %cst_12 : vector<5xf32>
            %88 = arith.mulf %83, %83 : vector<5xf32>
            %89 = math.fma %87, %88, %83 : vector<5xf32>
            %90 = math.fma %89, %cst_13, %cst_13 : vector<5xf32>
            %91 = arith.bitcast %79 : vector<5xf32> to vector<5xi32>
            %92 = arith.shli %91, %cst_14 : vector<5xi32>
            %93 = arith.bitcast %92 : vector<5xi32> to vector<5xf32>
            %94 = math.fma %90, %93, %cst_13 : vector<5xf32>
            %95 = arith.divf %cst_13, %94 : vector<5xf32>
            %96 = arith.maxsi %42, %c0_i64 : i64
            %97 = arith.minsi %96, %c3_i64 : i64
            %98 = arith.index_cast %97 : i64 to index
            %99 = vector.transfer_read %7[%98, %arg16, %c15], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %100 = vector.transfer_read %17[%c15], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %101 = arith.addf %99, %100 : vector<5xf32>
            %102 = vector.transfer_read %48[%arg16, %c15], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %103 = arith.addf %101, %102 : vector<5xf32>
            %104 = arith.maximumf %103, %cst_0 : vector<5xf32>
            %105 = arith.minimumf %104, %cst_1 : vector<5xf32>
            %106 = arith.mulf %105, %cst_15 : vector<5xf32>
            %107 = math.tanh %106 : vector<5xf32>
            %108 = arith.mulf %107, %cst_16 : vector<5xf32>
            %109 = arith.mulf %95, %108 : vector<5xf32>
            %110 = arith.maxsi %42, %c0_i64 : i64
            %111 = arith.minsi %110, %c3_i64 : i64
            %112 = arith.index_cast %111 : i64 to index
            %113 = vector.transfer_read %7[%112, %arg16, %c10], %cst {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %114 = vector.transfer_read %17[%c10], %cst {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %115 = arith.addf %113, %114 : vector<5xf32>
            %116 = vector.transfer_read %48[%arg16, %c10], %cst {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %117 = arith.addf %115, %116 : vector<5xf32>
            %118 = vector.transfer_read %13[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %119 = arith.mulf %69, %118 : vector<5xf32>
            %120 = arith.addf %117, %119 : vector<5xf32>
            %121 = arith.maximumf %120, %cst_0 : vector<5xf32>
            %122 = arith.minimumf %121, %cst_1 : vector<5xf32>
            %123 = arith.cmpf ogt, %cst_2, %122 : vector<5xf32>
            %124 = arith.select %123, %cst_2, %122 : vector<5xi1>, vector<5xf32>
            %125 = arith.cmpf olt, %cst_3, %124 : vector<5xf32>
            %126 = arith.select %125, %cst_3, %124 : vector<5xi1>, vector<5xf32>
            %127 = math.fma %126, %cst_4, %cst_5 : vector<5xf32>
            %128 = arith.subf %127, %cst_5 : vector<5xf32>
            %129 = arith.negf %126 : vector<5xf32>
            %130 = math.fma %128, %cst_6, %129 : vector<5xf32>
            %131 = math.fma %128, %cst_7, %130 : vector<5xf32>
            %132 = math.fma %cst_8, %131, %cst_9 : vector<5xf32>
            %133 = math.fma %132, %131, %cst_10 : vector<5xf32>
            %134 = math.fma %133, %131, %cst_11 : vector<5xf32>
            %135 = math.fma %134, %131, %cst_12 : vector<5xf32>
            %136 = arith.mulf %131, %131 : vector<5xf32>
            %137 = math.fma %135, %136, %131 : vector<5xf32>
            %138 = math.fma %137, %cst_13, %cst_13 : vector<5xf32>
            %139 = arith.bitcast %127 : vector<5xf32> to vector<5xi32>
            %140 = arith.shli %139, %cst_14 : vector<5xi32>
            %141 = arith.bitcast %140 : vector<5xi32> to vector<5xf32>
            %142 = math.fma %138, %141, %cst_13 : vector<5xf32>
            %143 = arith.divf %cst_13, %142 : vector<5xf32>
            %144 = arith.mulf %143, %69 : vector<5xf32>
            %145 = arith.addf %109, %144 : vector<5xf32>
            %146 = vector.transfer_read %11[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %147 = arith.mulf %145, %146 : vector<5xf32>
            %148 = arith.addf %60, %147 : vector<5xf32>
            %149 = arith.maximumf %148, %cst_0 : vector<5xf32>
            %150 = arith.minimumf %149, %cst_1 : vector<5xf32>
            %151 = arith.cmpf ogt, %cst_2, %150 : vector<5xf32>
            %152 = arith.select %151, %cst_2, %150 : vector<5xi1>, vector<5xf32>
            %153 = arith.cmpf olt, %cst_3, %152 : vector<5xf32>
            %154 = arith.select %153, %cst_3, %152 : vector<5xi1>, vector<5xf32>
            %155 = math.fma %154, %cst_4, %cst_5 : vector<5xf32>
            %156 = arith.subf %155, %cst_5 : vector<5xf32>
            %157 = arith.negf %154 : vector<5xf32>
            %158 = math.fma %156, %cst_6, %157 : vector<5xf32>
            %159 = math.fma %156, %cst_7, %158 : vector<5xf32>
            %160 = math.fma %cst_8, %159, %cst_9 : vector<5xf32>
            %161 = math.fma %160, %159, %cst_10 : vector<5xf32>
            %162 = math.fma %161, %159, %cst_11 : vector<5xf32>
            %163 = math.fma %162, %159, %cst_12 : vector<5xf32>
            %164 = arith.mulf %159, %159 : vector<5xf32>
            %165 = math.fma %163, %164, %159 : vector<5xf32>
            %166 = math.fma %165, %cst_13, %cst_13 : vector<5xf32>
            %167 = arith.bitcast %155 : vector<5xf32> to vector<5xi32>
            %168 = arith.shli %167, %cst_14 : vector<5xi32>
            %169 = arith.bitcast %168 : vector<5xi32> to vector<5xf32>
            %170 = math.fma %166, %169, %cst_13 : vector<5xf32>
            %171 = arith.divf %cst_13, %170 : vector<5xf32>
            %172 = arith.maximumf %145, %cst_17 : vector<5xf32>
            %173 = math.absf %145 : vector<5xf32>
            %174 = arith.negf %173 : vector<5xf32>
            %175 = math.exp %174 : vector<5xf32>
            %176 = math.log1p %175 : vector<5xf32>
            %177 = arith.addf %172, %176 : vector<5xf32>
            %178 = arith.mulf %171, %177 : vector<5xf32>
            %179 = arith.select %52, %178, %cst_17 : vector<5xi1>, vector<5xf32>
            %180 = vector.transfer_read %arg18[%39, %arg16, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %181 = arith.select %52, %178, %180 : vector<5xi1>, vector<5xf32>
            %182 = arith.select %52, %145, %69 : vector<5xi1>, vector<5xf32>
            %183 = vector.transfer_write %179, %arg17[%45, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x5xf32>
            %184 = vector.transfer_write %181, %arg18[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            %185 = vector.transfer_write %182, %arg19[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %183, %184, %185 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          scf.yield %49#0, %49#1, %49#2 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %35 = arith.addi %32, %workgroup_id_0 : index
        %36 = scf.for %arg12 = %35 to %c4 step %c1 iter_args(%arg13 = %34#0) -> (tensor<4x2x5xf32>) {
          %extracted_slice = tensor.extract_slice %arg13[%arg12, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<2x5xf32>
          %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x5xf32>) attrs =  {lowering_config = #config5} {
          ^bb0(%out: f32):
            linalg.yield %cst : f32
          } -> tensor<2x5xf32>
          %inserted_slice_19 = tensor.insert_slice %37 into %arg13[%arg12, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
          scf.yield %inserted_slice_19 : tensor<4x2x5xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %36, %24, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#1, %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#2, %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_1 {
    stream.executable.export public @onnx_gru_grad_dispatch_1_elementwise_2_i32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_1_elementwise_2_i32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0_i32 = arith.constant 0 : i32
        %c4_i32 = arith.constant 4 : i32
        %c0 = arith.constant 0 : index
        %c320 = arith.constant 320 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %1 = stream.binding.subspan %arg1[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %3 = tensor.empty() : tensor<2xi32>
        %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%2 : tensor<2xi32>) outs(%3 : tensor<2xi32>) {
        ^bb0(%in: i32, %out: i32):
          %5 = arith.maxsi %in, %c0_i32 : i32
          %6 = arith.minui %5, %c4_i32 : i32
          linalg.yield %6 : i32
        } -> tensor<2xi32>
        iree_tensor_ext.dispatch.tensor.store %4, %1, offsets = [0], sizes = [2], strides = [1] : tensor<2xi32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_3 {
    stream.executable.export public @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c320 = arith.constant 320 : index
        %c448 = arith.constant 448 : index
        %0 = stream.binding.subspan %arg0[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %1 = stream.binding.subspan %arg1[%c448] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %3 = tensor.empty() : tensor<2xi64>
        %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%2 : tensor<2xi32>) outs(%3 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %5 = arith.extsi %in : i32 to i64
          linalg.yield %5 : i64
        } -> tensor<2xi64>
        iree_tensor_ext.dispatch.tensor.store %4, %1, offsets = [0], sizes = [2], strides = [1] : tensor<2xi64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_4 {
    stream.executable.export public @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c320 = arith.constant 320 : index
        %c0 = arith.constant 0 : index
        %c512 = arith.constant 512 : index
        %0 = stream.binding.subspan %arg0[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>
        %2 = stream.binding.subspan %arg2[%c512] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %4 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        %5 = tensor.empty() : tensor<4x2x3xf32>
        %6 = tensor.empty() : tensor<2xi64>
        %7 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%3 : tensor<2xi32>) outs(%6 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %9 = arith.extsi %in : i32 to i64
          linalg.yield %9 : i64
        } -> tensor<2xi64>
        %8 = linalg.generic {indexing_maps = [#map13, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %4 : tensor<2xi64>, tensor<4x2x3xf32>) outs(%5 : tensor<4x2x3xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %9 = linalg.index 0 : index
          %10 = arith.index_cast %9 : index to i64
          %11 = arith.cmpi slt, %10, %in : i64
          %12 = arith.select %11, %in_0, %cst : f32
          linalg.yield %12 : f32
        } -> tensor<4x2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %8, %2, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : tensor<4x2x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_5 {
    stream.executable.export public @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c320 = arith.constant 320 : index
        %c640 = arith.constant 640 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %2 = stream.binding.subspan %arg2[%c640] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %4 = tensor.empty() : tensor<4x2x5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = tensor.empty() : tensor<2xi64>
        %7 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%3 : tensor<2xi32>) outs(%6 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %9 = arith.extsi %in : i32 to i64
          linalg.yield %9 : i64
        } -> tensor<2xi64>
        %8 = linalg.generic {indexing_maps = [#map13, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %5 : tensor<2xi64>, tensor<4x2x5xf32>) outs(%4 : tensor<4x2x5xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %9 = linalg.index 0 : index
          %10 = arith.index_cast %9 : index to i64
          %11 = arith.cmpi slt, %10, %in : i64
          %12 = arith.select %11, %in_0, %cst : f32
          linalg.yield %12 : f32
        } -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %8, %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_6 {
    stream.executable.export public @onnx_gru_grad_dispatch_6_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_6_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %c64 = arith.constant 64 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_7 {
    stream.executable.export public @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c320 = arith.constant 320 : index
        %c832 = arith.constant 832 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %2 = stream.binding.subspan %arg2[%c832] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %4 = tensor.empty() : tensor<4x2x5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 1, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = tensor.empty() : tensor<2xi64>
        %7 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%3 : tensor<2xi32>) outs(%6 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %9 = arith.extsi %in : i32 to i64
          linalg.yield %9 : i64
        } -> tensor<2xi64>
        %8 = linalg.generic {indexing_maps = [#map13, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %5 : tensor<2xi64>, tensor<4x2x5xf32>) outs(%4 : tensor<4x2x5xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %9 = linalg.index 0 : index
          %10 = arith.index_cast %9 : index to i64
          %11 = arith.cmpi slt, %10, %in : i64
          %12 = arith.select %11, %in_0, %cst : f32
          linalg.yield %12 : f32
        } -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %8, %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_8 {
    stream.executable.export public @onnx_gru_grad_dispatch_8_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_8_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %c1024 = arith.constant 1024 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c1024] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %2 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 1, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_9 {
    stream.executable.export public @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c1280 = arith.constant 1280 : index
        %c3008 = arith.constant 3008 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>>
        %1 = stream.binding.subspan %arg1[%c1280] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>
        %2 = stream.binding.subspan %arg2[%c3008] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %4 = tensor.empty() : tensor<8x3xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0], sizes = [1, 15, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>> -> tensor<15x3xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %7 = linalg.matmul ins(%3, %5 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%6 : tensor<8x3xf32>) -> tensor<8x3xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : tensor<8x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_10 {
    stream.executable.export public @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %c0 = arith.constant 0 : index
        %c1792 = arith.constant 1792 : index
        %c640 = arith.constant 640 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>>
        %1 = stream.binding.subspan %arg1[%c1792] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %2 = stream.binding.subspan %arg2[%c640] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %4 = tensor.empty() : tensor<4x2x5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0, 0, 0, 5], sizes = [1, 4, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>> -> tensor<4x2x5xf32>
        %6 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %3 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%4 : tensor<4x2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %7 = arith.mulf %in, %in_0 : f32
          linalg.yield %7 : f32
        } -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_11 {
    stream.executable.export public @onnx_gru_grad_dispatch_11_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_11_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32) {
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
            %1[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>
        %4 = stream.binding.subspan %arg1[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x10xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0, 0], sizes = [4, 2, 10], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x10xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %4, offsets = [0, 0, 0], sizes = [4, 2, 10], strides = [1, 1, 1] : tensor<4x2x10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x10xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_12 {
    stream.executable.export public @onnx_gru_grad_dispatch_12_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_12_slow_memcpy(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32) {
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
            %1[<umin = 1024, umax = 1024, udiv = 1024>, <umin = 1280, umax = 1280, udiv = 1280>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>
        %4 = stream.binding.subspan %arg1[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0, 10], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_13 {
    stream.executable.export public @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32) {
        %c512 = arith.constant 512 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
            %1[<umin = 3136, umax = 3136, udiv = 3136>, <umin = 3316, umax = 3316, udiv = 3316>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>
        %4 = stream.binding.subspan %arg0[%c512] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>>
        %5 = stream.binding.subspan %arg1[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15x3xf32>>
        %6 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %7 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>> -> tensor<8x3xf32>
        %8 = tensor.empty() : tensor<15x3xf32>
        %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<15x3xf32>) -> tensor<15x3xf32>
        %10 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%6, %7 : tensor<8x15xf32>, tensor<8x3xf32>) outs(%9 : tensor<15x3xf32>) -> tensor<15x3xf32>
        iree_tensor_ext.dispatch.tensor.store %10, %5, offsets = [0, 0], sizes = [15, 3], strides = [1, 1] : tensor<15x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15x3xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_14 {
    stream.executable.export public @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32, %arg4: i32) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2 = arith.index_castui %arg4 : i32 to index
        %3:3 = util.assume.int 
            %0[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>], 
            %1[<umin = 1792, umax = 1792, udiv = 1792>, <umin = 0, umax = 0>], 
            %2[<umin = 3496, umax = 3496, udiv = 3496>, <umin = 3796, umax = 3796, udiv = 3796>]
          : index, index, index
        %4 = stream.binding.subspan %arg0[%3#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x10xf32>>
        %5 = stream.binding.subspan %arg0[%3#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>
        %6 = stream.binding.subspan %arg1[%3#2] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10x5xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0], sizes = [8, 10], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x10xf32>> -> tensor<8x10xf32>
        %8 = iree_tensor_ext.dispatch.tensor.load %5, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %9 = tensor.empty() : tensor<10x5xf32>
        %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<10x5xf32>) -> tensor<10x5xf32>
        %11 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%7, %8 : tensor<8x10xf32>, tensor<8x5xf32>) outs(%10 : tensor<10x5xf32>) -> tensor<10x5xf32>
        iree_tensor_ext.dispatch.tensor.store %11, %6, offsets = [0, 0], sizes = [10, 5], strides = [1, 1] : tensor<10x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_15 {
    stream.executable.export public @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32) {
        %c640 = arith.constant 640 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 1024, umax = 1024, udiv = 1024>, <umin = 1280, umax = 1280, udiv = 1280>], 
            %1[<umin = 3696, umax = 3696, udiv = 3696>, <umin = 3996, umax = 3996, udiv = 3996>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>
        %4 = stream.binding.subspan %arg0[%c640] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>
        %5 = stream.binding.subspan %arg1[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x5xf32>>
        %6 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %7 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %8 = tensor.empty() : tensor<5x5xf32>
        %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<5x5xf32>) -> tensor<5x5xf32>
        %10 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%6, %7 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%9 : tensor<5x5xf32>) -> tensor<5x5xf32>
        iree_tensor_ext.dispatch.tensor.store %10, %5, offsets = [0, 0], sizes = [5, 5], strides = [1, 1] : tensor<5x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_16 {
    stream.executable.export public @onnx_gru_grad_dispatch_16_reduction_15x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_16_reduction_15x8_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2:2 = util.assume.int 
            %0[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
            %1[<umin = 1216, umax = 1216, udiv = 1216>, <umin = 192, umax = 192, udiv = 192>]
          : index, index
        %3 = stream.binding.subspan %arg0[%2#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>
        %4 = stream.binding.subspan %arg1[%2#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %6 = tensor.empty() : tensor<15xf32>
        %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<15xf32>) -> tensor<15xf32>
        %8 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<8x15xf32>) outs(%7 : tensor<15xf32>) {
        ^bb0(%in: f32, %out: f32):
          %9 = arith.addf %out, %in : f32
          linalg.yield %9 : f32
        } -> tensor<15xf32>
        iree_tensor_ext.dispatch.tensor.store %8, %4, offsets = [0], sizes = [15], strides = [1] : tensor<15xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_17 {
    stream.executable.export public @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c0 = arith.constant 0 : index
        %c2368 = arith.constant 2368 : index
        %c384 = arith.constant 384 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>>
        %1 = stream.binding.subspan %arg1[%c2368] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>
        %2 = stream.binding.subspan %arg2[%c384] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %4 = tensor.empty() : tensor<8x3xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [1, 0, 0], sizes = [1, 15, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>> -> tensor<15x3xf32>
        %6 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %7 = linalg.matmul ins(%3, %5 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%6 : tensor<8x3xf32>) -> tensor<8x3xf32>
        iree_tensor_ext.dispatch.tensor.store %7, %2, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : tensor<8x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_18 {
    stream.executable.export public @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}) {
        %c1_i64 = arith.constant 1 : i64
        %c0 = arith.constant 0 : index
        %c320 = arith.constant 320 : index
        %c4352 = arith.constant 4352 : index
        %c640 = arith.constant 640 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>>
        %1 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>>
        %2 = stream.binding.subspan %arg2[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %3 = stream.binding.subspan %arg2[%c4352] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %4 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %5 = stream.binding.subspan %arg4[%c640] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        %6 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %7 = iree_tensor_ext.dispatch.tensor.load %3, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %8 = tensor.empty() : tensor<4x2x5xf32>
        %9 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [1, 0, 0], sizes = [1, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>> -> tensor<2x5xf32>
        %10 = tensor.empty() : tensor<2xi64>
        %11 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [1, 0, 0, 5], sizes = [1, 4, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>> -> tensor<4x2x5xf32>
        %12 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%6 : tensor<2xi32>) outs(%10 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %14 = arith.extsi %in : i32 to i64
          linalg.yield %14 : i64
        } -> tensor<2xi64>
        %13:2 = linalg.generic {indexing_maps = [#map14, #map13, #map6, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %12, %9, %7 : tensor<4x2x5xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<4x2x5xf32>) outs(%8, %8 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) {
        ^bb0(%in: f32, %in_0: i64, %in_1: f32, %in_2: f32, %out: f32, %out_3: f32):
          %14 = linalg.index 0 : index
          %15 = arith.subi %in_0, %c1_i64 : i64
          %16 = arith.index_cast %14 : index to i64
          %17 = arith.cmpi eq, %16, %15 : i64
          %18 = arith.select %17, %in_1, %in_2 : f32
          %19 = arith.mulf %in, %18 : f32
          linalg.yield %18, %19 : f32, f32
        } -> (tensor<4x2x5xf32>, tensor<4x2x5xf32>)
        iree_tensor_ext.dispatch.tensor.store %13#0, %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %13#1, %5, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_25 {
    stream.executable.export public @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}) {
        %cst = arith.constant 0.000000e+00 : f32
        %c320 = arith.constant 320 : index
        %c3008 = arith.constant 3008 : index
        %c384 = arith.constant 384 : index
        %c1280 = arith.constant 1280 : index
        %0 = stream.binding.subspan %arg0[%c320] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>
        %1 = stream.binding.subspan %arg0[%c3008] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>
        %2 = stream.binding.subspan %arg0[%c384] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>
        %3 = stream.binding.subspan %arg1[%c1280] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>
        %4 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %5 = iree_tensor_ext.dispatch.tensor.load %1, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        %6 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        %7 = tensor.empty() : tensor<4x2x3xf32>
        %8 = tensor.empty() : tensor<2xi64>
        %9 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%4 : tensor<2xi32>) outs(%8 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %11 = arith.extsi %in : i32 to i64
          linalg.yield %11 : i64
        } -> tensor<2xi64>
        %10 = linalg.generic {indexing_maps = [#map13, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %5, %6 : tensor<2xi64>, tensor<4x2x3xf32>, tensor<4x2x3xf32>) outs(%7 : tensor<4x2x3xf32>) {
        ^bb0(%in: i64, %in_0: f32, %in_1: f32, %out: f32):
          %11 = arith.addf %in_0, %in_1 : f32
          %12 = linalg.index 0 : index
          %13 = arith.index_cast %12 : index to i64
          %14 = arith.cmpi slt, %13, %in : i64
          %15 = arith.select %14, %11, %cst : f32
          linalg.yield %15 : f32
        } -> tensor<4x2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %10, %3, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : tensor<4x2x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_dispatch_26 {
    stream.executable.export public @onnx_gru_grad_dispatch_26_elementwise_2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      stream.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: i32, %arg3: i32, %arg4: i32) {
        %0 = arith.index_castui %arg2 : i32 to index
        %1 = arith.index_castui %arg3 : i32 to index
        %2 = arith.index_castui %arg4 : i32 to index
        %3:3 = util.assume.int 
            %0[<umin = 2240, umax = 2240, udiv = 2240>, <umin = 2880, umax = 2880, udiv = 2880>], 
            %1[<umin = 2112, umax = 2112, udiv = 2112>, <umin = 1984, umax = 1984, udiv = 1984>], 
            %2[<umin = 1408, umax = 1408, udiv = 1408>, <umin = 1448, umax = 1448, udiv = 1448>]
          : index, index, index
        %4 = stream.binding.subspan %arg0[%3#0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>>
        %5 = stream.binding.subspan %arg0[%3#1] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>>
        %6 = stream.binding.subspan %arg1[%3#2] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        %7 = tensor.empty() : tensor<2x5xf32>
        %8 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0, 0], sizes = [1, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>> -> tensor<2x5xf32>
        %9 = iree_tensor_ext.dispatch.tensor.load %5, offsets = [0, 0, 0], sizes = [1, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>> -> tensor<2x5xf32>
        %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %8 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%7 : tensor<2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %11 = arith.addf %in, %in_0 : f32
          linalg.yield %11 : f32
        } -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %10, %6, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        return
      }
    }
  }
  util.func public @onnx_gru_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_gru_grad(%input0: tensor<4x2x3xf32>, %input1: tensor<2x15x3xf32>, %input2: tensor<2x15x5xf32>, %input3: tensor<2x30xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<4x2x2x5xf32>, %input7: tensor<4x2x2x5xf32>, %input8: tensor<2x2x5xf32>, %input9: tensor<2x4x2x15xf32>) -> (%output0: tensor<4x2x3xf32>, %output1: tensor<2x15x3xf32>, %output2: tensor<2x15x5xf32>, %output3: tensor<2x30xf32>, %output4: tensor<2x2x5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,15,3], R: float32[2,15,5], B: float32[2,30], sequence_lens: int32[2], initial_h: float32[2,2,5], Y: float32[4,2,2,5], Y_grad: float32[4,2,2,5], Y_h_grad: float32[2,2,5], reserve_space: float32[2,4,2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22\22, \22activation_alpha\22: \22\22, \22activation_beta\22: \22\22, \22clip\22: 0.0, \22hidden_size\22: 0, \22layout\22: 0, \22linear_before_reset\22: 0, \22inputs\22: \22B sequence_lens initial_h\22}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.GRUGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "X_grad: float32[4,2,3], W_grad: float32[2,15,3], R_grad: float32[2,15,5], B_grad: float32[2,30], initial_h_grad: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c1448_i32 = arith.constant 1448 : i32
    %c1408_i32 = arith.constant 1408 : i32
    %c3996_i32 = arith.constant 3996 : i32
    %c3796_i32 = arith.constant 3796 : i32
    %c3316_i32 = arith.constant 3316 : i32
    %c3696_i32 = arith.constant 3696 : i32
    %c3496_i32 = arith.constant 3496 : i32
    %c3136_i32 = arith.constant 3136 : i32
    %c2880_i32 = arith.constant 2880 : i32
    %c1984_i32 = arith.constant 1984 : i32
    %c192_i32 = arith.constant 192 : i32
    %c2368_i32 = arith.constant 2368 : i32
    %c2240_i32 = arith.constant 2240 : i32
    %c2112_i32 = arith.constant 2112 : i32
    %c1792_i32 = arith.constant 1792 : i32
    %c1280_i32 = arith.constant 1280 : i32
    %c1216_i32 = arith.constant 1216 : i32
    %c1024_i32 = arith.constant 1024 : i32
    %c832_i32 = arith.constant 832 : i32
    %c384_i32 = arith.constant 384 : i32
    %c0_i32 = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1832 = arith.constant 1832 : index
    %c872 = arith.constant 872 : index
    %c4472 = arith.constant 4472 : index
    %c4156 = arith.constant 4156 : index
    %c4216 = arith.constant 4216 : index
    %c4276 = arith.constant 4276 : index
    %c3496 = arith.constant 3496 : index
    %c4096 = arith.constant 4096 : index
    %c4544 = arith.constant 4544 : index
    %c4352 = arith.constant 4352 : index
    %c3136 = arith.constant 3136 : index
    %c1792 = arith.constant 1792 : index
    %c1216 = arith.constant 1216 : index
    %c640 = arith.constant 640 : index
    %c192 = arith.constant 192 : index
    %c1536 = arith.constant 1536 : index
    %c1408 = arith.constant 1408 : index
    %c1280 = arith.constant 1280 : index
    %c1024 = arith.constant 1024 : index
    %c384 = arith.constant 384 : index
    %c240 = arith.constant 240 : index
    %c60 = arith.constant 60 : index
    %c120 = arith.constant 120 : index
    %c960 = arith.constant 960 : index
    %c320 = arith.constant 320 : index
    %c80 = arith.constant 80 : index
    %c8 = arith.constant 8 : index
    %c600 = arith.constant 600 : index
    %c360 = arith.constant 360 : index
    %c96 = arith.constant 96 : index
    %c0_i8 = arith.constant 0 : i8
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c15 = arith.constant 15 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c40 = arith.constant 40 : index
    %element_type_f32 = hal.element_type<f32> : i32
    %dense_row_major = hal.encoding_type<dense_row_major> : i32
    hal.buffer_view.assert<%arg0 : !hal.buffer_view> message("input0") shape([%c4, %c2, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %0 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg0 : !hal.buffer_view -> tensor<4x2x3xf32> in !stream.resource<external>{%c96}
    hal.buffer_view.assert<%arg1 : !hal.buffer_view> message("input1") shape([%c2, %c15, %c3]) type(%element_type_f32) encoding(%dense_row_major)
    %1 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg1 : !hal.buffer_view -> tensor<2x15x3xf32> in !stream.resource<external>{%c360}
    hal.buffer_view.assert<%arg2 : !hal.buffer_view> message("input2") shape([%c2, %c15, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %2 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg2 : !hal.buffer_view -> tensor<2x15x5xf32> in !stream.resource<external>{%c600}
    %element_type_i32 = hal.element_type<i32> : i32
    hal.buffer_view.assert<%arg4 : !hal.buffer_view> message("input4") shape([%c2]) type(%element_type_i32) encoding(%dense_row_major)
    %3 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg4 : !hal.buffer_view -> tensor<2xi32> in !stream.resource<external>{%c8}
    hal.buffer_view.assert<%arg5 : !hal.buffer_view> message("input5") shape([%c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %4 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg5 : !hal.buffer_view -> tensor<2x2x5xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg6 : !hal.buffer_view> message("input6") shape([%c4, %c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %5 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg6 : !hal.buffer_view -> tensor<4x2x2x5xf32> in !stream.resource<external>{%c320}
    hal.buffer_view.assert<%arg7 : !hal.buffer_view> message("input7") shape([%c4, %c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %6 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg7 : !hal.buffer_view -> tensor<4x2x2x5xf32> in !stream.resource<external>{%c320}
    hal.buffer_view.assert<%arg8 : !hal.buffer_view> message("input8") shape([%c2, %c2, %c5]) type(%element_type_f32) encoding(%dense_row_major)
    %7 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg8 : !hal.buffer_view -> tensor<2x2x5xf32> in !stream.resource<external>{%c80}
    hal.buffer_view.assert<%arg9 : !hal.buffer_view> message("input9") shape([%c2, %c4, %c2, %c15]) type(%element_type_f32) encoding(%dense_row_major)
    %8 = stream.tensor.import on(#hal.device.affinity<@__device_0>) %arg9 : !hal.buffer_view -> tensor<2x4x2x15xf32> in !stream.resource<external>{%c960}
    %9 = util.optimization_barrier %8 : !stream.resource<external>
    %10 = util.optimization_barrier %7 : !stream.resource<external>
    %11 = util.optimization_barrier %6 : !stream.resource<external>
    %12 = util.optimization_barrier %5 : !stream.resource<external>
    %13 = util.optimization_barrier %4 : !stream.resource<external>
    %14 = util.optimization_barrier %3 : !stream.resource<external>
    %15 = util.optimization_barrier %2 : !stream.resource<external>
    %16 = util.optimization_barrier %1 : !stream.resource<external>
    %17 = util.optimization_barrier %0 : !stream.resource<external>
    %result, %result_timepoint = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<external>{%c1536} => !stream.timepoint
    %result_0, %result_timepoint_1 = stream.resource.alloca uninitialized on(#hal.device.affinity<@__device_0>) : !stream.resource<transient>{%c4544} => !stream.timepoint
    %18 = stream.timepoint.join max(%result_timepoint, %result_timepoint_1) => !stream.timepoint
    %19 = stream.cmd.execute on(#hal.device.affinity<@__device_0>) await(%18) => with(%14 as %arg10: !stream.resource<external>{%c8}, %17 as %arg11: !stream.resource<external>{%c96}, %12 as %arg12: !stream.resource<external>{%c320}, %11 as %arg13: !stream.resource<external>{%c320}, %9 as %arg14: !stream.resource<external>{%c960}, %13 as %arg15: !stream.resource<external>{%c80}, %15 as %arg16: !stream.resource<external>{%c600}, %10 as %arg17: !stream.resource<external>{%c80}, %16 as %arg18: !stream.resource<external>{%c360}, %result as %arg19: !stream.resource<external>{%c1536}, %result_0 as %arg20: !stream.resource<transient>{%c4544}) {
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_0::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
          ro %arg10[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_1::@onnx_gru_grad_dispatch_1_elementwise_2_i32 {
          ro %arg10[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_1::@onnx_lstm_prepacked_dispatch_1_elementwise(%c384_i32 : i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_3::@onnx_gru_grad_dispatch_3_elementwise_2_i32xi64 {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_4::@onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32 {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          ro %arg11[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_5::@onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32 {
          ro %arg12[%c0 for %c320] : !stream.resource<external>{%c320},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_6::@onnx_gru_grad_dispatch_6_slow_memcpy {
          ro %arg13[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_7::@onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32 {
          ro %arg12[%c0 for %c320] : !stream.resource<external>{%c320},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_8::@onnx_gru_grad_dispatch_8_slow_memcpy {
          ro %arg13[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.fill %c0_i8, %arg20[%c1216 for %c40] : i8 -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.dispatch @onnx_gru_grad_gru_reset_before_backward_loop::@onnx_gru_grad_gru_reset_before_backward_loop {
        ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        ro %arg14[%c0 for %c960] : !stream.resource<external>{%c960},
        ro %arg15[%c0 for %c80] : !stream.resource<external>{%c80},
        ro %arg16[%c0 for %c600] : !stream.resource<external>{%c600},
        ro %arg17[%c0 for %c80] : !stream.resource<external>{%c80},
        wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_gru_reset_before_backward_1_loop::@onnx_gru_grad_gru_reset_before_backward_1_loop {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          ro %arg14[%c0 for %c960] : !stream.resource<external>{%c960},
          ro %arg15[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg16[%c0 for %c600] : !stream.resource<external>{%c600},
          ro %arg17[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_9::@onnx_gru_grad_dispatch_9_matmul_8x3x15_f32 {
          ro %arg18[%c0 for %c360] : !stream.resource<external>{%c360},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.copy %arg15[%c0], %arg20[%c1792], %c40 : !stream.resource<external>{%c80} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg20[%c640], %arg20[%c1832], %c120 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_10::@onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32 {
          ro %arg14[%c0 for %c960] : !stream.resource<external>{%c960},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_11::@onnx_gru_grad_dispatch_11_slow_memcpy(%c1280_i32, %c0_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_12::@onnx_gru_grad_dispatch_12_slow_memcpy(%c1280_i32, %c1024_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_13::@onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%c1280_i32, %c3136_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_14::@onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%c0_i32, %c1792_i32, %c3496_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_15::@onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%c1024_i32, %c3696_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_16::@onnx_gru_grad_dispatch_16_reduction_15x8_f32(%c1280_i32, %c1216_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_17::@onnx_gru_grad_dispatch_17_matmul_8x3x15_f32 {
          ro %arg18[%c0 for %c360] : !stream.resource<external>{%c360},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.copy %arg20[%c872], %arg20[%c4352], %c120 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg15[%c40], %arg20[%c4472], %c40 : !stream.resource<external>{%c80} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_18::@onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32 {
          ro %arg15[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg14[%c0 for %c960] : !stream.resource<external>{%c960},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_11::@onnx_gru_grad_dispatch_11_slow_memcpy(%c2368_i32, %c832_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_12::@onnx_gru_grad_dispatch_12_slow_memcpy(%c2368_i32, %c1280_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.copy %arg20[%c1216], %arg20[%c4096], %c60 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg20[%c1216], %arg20[%c4156], %c60 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.dispatch @onnx_gru_grad_dispatch_13::@onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%c2368_i32, %c3316_i32 : i32, i32) {
        ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_14::@onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%c832_i32, %c0_i32, %c3796_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_15::@onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%c1280_i32, %c3996_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_16::@onnx_gru_grad_dispatch_16_reduction_15x8_f32(%c2368_i32, %c192_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.copy %arg20[%c192], %arg20[%c4216], %c60 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg20[%c192], %arg20[%c4276], %c60 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.copy %arg20[%c3136], %arg19[%c0], %c360 : !stream.resource<transient>{%c4544} -> !stream.resource<external>{%c1536}
        stream.cmd.copy %arg20[%c3496], %arg19[%c384], %c600 : !stream.resource<transient>{%c4544} -> !stream.resource<external>{%c1536}
        stream.cmd.copy %arg20[%c4096], %arg19[%c1024], %c240 : !stream.resource<transient>{%c4544} -> !stream.resource<external>{%c1536}
        stream.cmd.dispatch @onnx_gru_grad_dispatch_25::@onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32 {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg19[%c0 for %c1536] : !stream.resource<external>{%c1536}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_26::@onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%c2240_i32, %c2112_i32, %c1408_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg19[%c0 for %c1536] : !stream.resource<external>{%c1536}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_26::@onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%c2880_i32, %c1984_i32, %c1448_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg19[%c0 for %c1536] : !stream.resource<external>{%c1536}
        }
      }
    } => !stream.timepoint
    %20 = stream.resource.dealloca on(#hal.device.affinity<@__device_0>) await(%19) => %result_0 : !stream.resource<transient>{%c4544} => !stream.timepoint
    %21 = stream.timepoint.await %20 => %result : !stream.resource<external>{%c1536}
    %22 = stream.resource.subview %21[%c1280] : !stream.resource<external>{%c1536} -> !stream.resource<external>{%c96}
    %23 = stream.resource.subview %21[%c1408] : !stream.resource<external>{%c1536} -> !stream.resource<external>{%c80}
    %24 = stream.resource.subview %21[%c0] : !stream.resource<external>{%c1536} -> !stream.resource<external>{%c360}
    %25 = stream.resource.subview %21[%c384] : !stream.resource<external>{%c1536} -> !stream.resource<external>{%c600}
    %26 = stream.resource.subview %21[%c1024] : !stream.resource<external>{%c1536} -> !stream.resource<external>{%c240}
    %27 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %22 : tensor<4x2x3xf32> in !stream.resource<external>{%c96} -> !hal.buffer_view
    %28 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %24 : tensor<2x15x3xf32> in !stream.resource<external>{%c360} -> !hal.buffer_view
    %29 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %25 : tensor<2x15x5xf32> in !stream.resource<external>{%c600} -> !hal.buffer_view
    %30 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %26 : tensor<2x30xf32> in !stream.resource<external>{%c240} -> !hal.buffer_view
    %31 = stream.tensor.export on(#hal.device.affinity<@__device_0>) %23 : tensor<2x2x5xf32> in !stream.resource<external>{%c80} -> !hal.buffer_view
    util.return %27, %28, %29, %30, %31 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @onnx_gru_grad_gru_reset_before_backward_loop {
    stream.executable.export public @onnx_gru_grad_gru_reset_before_backward_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_gru_reset_before_backward_loop(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: !stream.binding {stream.alignment = 64 : index}) attributes {translation_info = #translation} {
        %c0 = arith.constant 0 : index
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c1_i64 = arith.constant 1 : i64
        %c3_i64 = arith.constant 3 : i64
        %cst = arith.constant dense<1.000000e+00> : vector<5xf32>
        %cst_0 = arith.constant 0.000000e+00 : f32
        %c10 = arith.constant 10 : index
        %cst_1 = arith.constant dense<0.000000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %c4 = arith.constant 4 : index
        %c2_i64 = arith.constant 2 : i64
        %c384 = arith.constant 384 : index
        %c64 = arith.constant 64 : index
        %c640 = arith.constant 640 : index
        %c448 = arith.constant 448 : index
        %c1216 = arith.constant 1216 : index
        %c200 = arith.constant 200 : index
        %c1280 = arith.constant 1280 : index
        %c1792 = arith.constant 1792 : index
        %c1920 = arith.constant 1920 : index
        %c2112 = arith.constant 2112 : index
        %c2240 = arith.constant 2240 : index
        %0 = stream.binding.subspan %arg0[%c384] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg0[%c64] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %4 = stream.binding.subspan %arg0[%c640] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %8 = stream.binding.subspan %arg0[%c448] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %10 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %12 = stream.binding.subspan %arg3[%c200] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0, 0], sizes = [5, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>> -> tensor<5x5xf32>
        %14 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [10, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>> -> tensor<10x5xf32>
        %16 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %18 = stream.binding.subspan %arg0[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %20 = stream.binding.subspan %arg5[%c1280] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %22 = stream.binding.subspan %arg6[%c1792] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %24 = stream.binding.subspan %arg7[%c1920] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [2, 2, 10], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>> -> tensor<2x2x10xf32>
        %26 = stream.binding.subspan %arg8[%c2112] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %28 = stream.binding.subspan %arg9[%c2240] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %30 = arith.maxsi %extracted, %c0_i64 : i64
        %31 = arith.minsi %30, %c4_i64 : i64
        %32 = arith.index_cast %31 : i64 to index
        %33 = arith.remui %32, %c2 : index
        %inserted_slice = tensor.insert_slice %17 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_2 = tensor.insert_slice %19 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %34:5 = scf.for %arg10 = %c0 to %32 step %c1 iter_args(%arg11 = %21, %arg12 = %23, %arg13 = %25, %arg14 = %inserted_slice, %arg15 = %inserted_slice_2) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %37 = arith.index_cast %arg10 : index to i64
          %38 = arith.subi %32, %arg10 : index
          %39 = arith.remui %38, %c2 : index
          %40 = arith.subi %c1, %39 : index
          %41 = arith.subi %extracted, %37 : i64
          %42 = arith.subi %41, %c1_i64 : i64
          %43 = arith.maxsi %42, %c0_i64 : i64
          %44 = arith.minsi %43, %c3_i64 : i64
          %45 = arith.index_cast %44 : i64 to index
          %46 = arith.cmpi eq, %42, %c0_i64 : i64
          %47 = arith.subi %41, %c2_i64 : i64
          %48 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg12) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg16] : tensor<2xi64>
            %57 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %58 = vector.broadcast %42 : i64 to vector<5xi64>
            %59 = arith.cmpi sgt, %57, %58 : vector<5xi64>
            %60 = arith.maxsi %42, %c0_i64 : i64
            %61 = arith.minsi %60, %c3_i64 : i64
            %62 = arith.index_cast %61 : i64 to index
            %63 = vector.transfer_read %7[%62, %arg16, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %64 = arith.mulf %63, %63 : vector<5xf32>
            %65 = arith.subf %cst, %64 : vector<5xf32>
            %66 = arith.maxsi %42, %c0_i64 : i64
            %67 = arith.minsi %66, %c3_i64 : i64
            %68 = arith.index_cast %67 : i64 to index
            %69 = vector.transfer_read %3[%68, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %70 = vector.transfer_read %arg14[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = vector.transfer_read %arg15[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %73 = arith.addf %71, %72 : vector<5xf32>
            %74 = arith.maxsi %42, %c0_i64 : i64
            %75 = arith.minsi %74, %c3_i64 : i64
            %76 = arith.index_cast %75 : i64 to index
            %77 = vector.transfer_read %7[%76, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %78 = arith.subf %cst, %77 : vector<5xf32>
            %79 = arith.mulf %73, %78 : vector<5xf32>
            %80 = arith.mulf %65, %79 : vector<5xf32>
            %81 = arith.select %59, %80, %cst_1 : vector<5xi1>, vector<5xf32>
            %82 = vector.transfer_write %81, %arg17[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %82 : tensor<2x2x5xf32>
          }
          %extracted_slice = tensor.extract_slice %48[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %49 = tensor.empty() : tensor<2x5xf32>
          %50 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%49 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %51 = linalg.matmul {lowering_config = #config6} ins(%extracted_slice, %13 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%50 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %52:3 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg11, %arg18 = %arg13, %arg19 = %arg15) -> (tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg16] : tensor<2xi64>
            %57 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %58 = vector.broadcast %42 : i64 to vector<5xi64>
            %59 = arith.cmpi sgt, %57, %58 : vector<5xi64>
            %60 = arith.maxsi %42, %c0_i64 : i64
            %61 = arith.minsi %60, %c3_i64 : i64
            %62 = arith.index_cast %61 : i64 to index
            %63 = vector.transfer_read %7[%62, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %64 = arith.subf %cst, %63 : vector<5xf32>
            %65 = arith.mulf %63, %64 : vector<5xf32>
            %66 = arith.maxsi %42, %c0_i64 : i64
            %67 = arith.minsi %66, %c3_i64 : i64
            %68 = arith.index_cast %67 : i64 to index
            %69 = vector.transfer_read %3[%68, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %70 = vector.transfer_read %arg14[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = vector.transfer_read %arg19[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %73 = arith.addf %71, %72 : vector<5xf32>
            %74 = vector.broadcast %46 : i1 to vector<5xi1>
            %75 = vector.transfer_read %11[%arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %76 = arith.maxsi %47, %c0_i64 : i64
            %77 = arith.minsi %76, %c3_i64 : i64
            %78 = arith.index_cast %77 : i64 to index
            %79 = vector.transfer_read %5[%78, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %80 = arith.select %74, %75, %79 : vector<5xi1>, vector<5xf32>
            %81 = arith.maxsi %42, %c0_i64 : i64
            %82 = arith.minsi %81, %c3_i64 : i64
            %83 = arith.index_cast %82 : i64 to index
            %84 = vector.transfer_read %7[%83, %arg16, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %85 = arith.subf %80, %84 : vector<5xf32>
            %86 = arith.mulf %73, %85 : vector<5xf32>
            %87 = arith.mulf %65, %86 : vector<5xf32>
            %88 = arith.select %59, %87, %cst_1 : vector<5xi1>, vector<5xf32>
            %89 = arith.maxsi %42, %c0_i64 : i64
            %90 = arith.minsi %89, %c3_i64 : i64
            %91 = arith.index_cast %90 : i64 to index
            %92 = vector.transfer_read %7[%91, %arg16, %c5], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %93 = arith.subf %cst, %92 : vector<5xf32>
            %94 = arith.mulf %92, %93 : vector<5xf32>
            %95 = vector.transfer_read %51[%arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %96 = arith.mulf %95, %80 : vector<5xf32>
            %97 = arith.mulf %94, %96 : vector<5xf32>
            %98 = arith.select %59, %97, %cst_1 : vector<5xi1>, vector<5xf32>
            %99 = arith.mulf %84, %84 : vector<5xf32>
            %100 = arith.subf %cst, %99 : vector<5xf32>
            %101 = arith.subf %cst, %63 : vector<5xf32>
            %102 = arith.mulf %73, %101 : vector<5xf32>
            %103 = arith.mulf %100, %102 : vector<5xf32>
            %104 = arith.select %59, %103, %cst_1 : vector<5xi1>, vector<5xf32>
            %105 = arith.select %59, %87, %cst_1 : vector<5xi1>, vector<5xf32>
            %106 = arith.select %59, %97, %cst_1 : vector<5xi1>, vector<5xf32>
            %107 = arith.mulf %73, %63 : vector<5xf32>
            %108 = arith.mulf %95, %92 : vector<5xf32>
            %109 = arith.addf %107, %108 : vector<5xf32>
            %110 = arith.select %59, %109, %72 : vector<5xi1>, vector<5xf32>
            %111 = vector.transfer_write %88, %arg17[%45, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %112 = vector.transfer_write %98, %111[%45, %arg16, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %113 = vector.transfer_write %104, %112[%45, %arg16, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %114 = vector.transfer_write %105, %arg18[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %115 = vector.transfer_write %106, %114[%40, %arg16, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %116 = vector.transfer_write %110, %arg19[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %113, %115, %116 : tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>
          }
          %extracted_slice_3 = tensor.extract_slice %52#1[%40, 0, 0] [1, 2, 10] [1, 1, 1] : tensor<2x2x10xf32> to tensor<2x10xf32>
          %53 = tensor.empty() : tensor<2x5xf32>
          %54 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%53 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %55 = linalg.matmul {lowering_config = #config7} ins(%extracted_slice_3, %15 : tensor<2x10xf32>, tensor<10x5xf32>) outs(%54 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %56 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg14) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg16] : tensor<2xi64>
            %57 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %58 = vector.broadcast %42 : i64 to vector<5xi64>
            %59 = arith.cmpi sgt, %57, %58 : vector<5xi64>
            %60 = vector.transfer_read %55[%arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %61 = vector.transfer_read %arg17[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %62 = arith.select %59, %60, %61 : vector<5xi1>, vector<5xf32>
            %63 = vector.transfer_write %62, %arg17[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %63 : tensor<2x2x5xf32>
          }
          scf.yield %52#0, %48, %52#1, %56, %52#2 : tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %35 = arith.addi %32, %workgroup_id_0 : index
        %36 = scf.for %arg10 = %35 to %c4 step %c1 iter_args(%arg11 = %34#0) -> (tensor<4x2x15xf32>) {
          %extracted_slice = tensor.extract_slice %arg11[%arg10, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<4x2x15xf32> to tensor<2x15xf32>
          %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x15xf32>) attrs =  {lowering_config = #config8} {
          ^bb0(%out: f32):
            linalg.yield %cst_0 : f32
          } -> tensor<2x15xf32>
          %inserted_slice_3 = tensor.insert_slice %37 into %arg11[%arg10, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<2x15xf32> into tensor<4x2x15xf32>
          scf.yield %inserted_slice_3 : tensor<4x2x15xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %36, %20, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : tensor<4x2x15xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#1, %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#2, %24, offsets = [0, 0, 0], sizes = [2, 2, 10], strides = [1, 1, 1] : tensor<2x2x10xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#3, %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#4, %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
  stream.executable private @onnx_gru_grad_gru_reset_before_backward_1_loop {
    stream.executable.export public @onnx_gru_grad_gru_reset_before_backward_1_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_gru_reset_before_backward_1_loop(%arg0: !stream.binding {stream.alignment = 64 : index}, %arg1: !stream.binding {stream.alignment = 64 : index}, %arg2: !stream.binding {stream.alignment = 64 : index}, %arg3: !stream.binding {stream.alignment = 64 : index}, %arg4: !stream.binding {stream.alignment = 64 : index}, %arg5: !stream.binding {stream.alignment = 64 : index}, %arg6: !stream.binding {stream.alignment = 64 : index}, %arg7: !stream.binding {stream.alignment = 64 : index}, %arg8: !stream.binding {stream.alignment = 64 : index}, %arg9: !stream.binding {stream.alignment = 64 : index}) attributes {translation_info = #translation} {
        %c0 = arith.constant 0 : index
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3_i64 = arith.constant 3 : i64
        %c1_i64 = arith.constant 1 : i64
        %cst = arith.constant dense<1.000000e+00> : vector<5xf32>
        %cst_0 = arith.constant 0.000000e+00 : f32
        %c10 = arith.constant 10 : index
        %cst_1 = arith.constant dense<0.000000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %c4 = arith.constant 4 : index
        %c384 = arith.constant 384 : index
        %c1024 = arith.constant 1024 : index
        %c832 = arith.constant 832 : index
        %c448 = arith.constant 448 : index
        %c1216 = arith.constant 1216 : index
        %c480 = arith.constant 480 : index
        %c40 = arith.constant 40 : index
        %c500 = arith.constant 500 : index
        %c300 = arith.constant 300 : index
        %c2368 = arith.constant 2368 : index
        %c192 = arith.constant 192 : index
        %c1984 = arith.constant 1984 : index
        %c2880 = arith.constant 2880 : index
        %0 = stream.binding.subspan %arg0[%c384] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg0[%c1024] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %4 = stream.binding.subspan %arg0[%c832] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = stream.binding.subspan %arg1[%c480] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %8 = stream.binding.subspan %arg0[%c448] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %10 = stream.binding.subspan %arg2[%c40] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %12 = stream.binding.subspan %arg3[%c500] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0, 0], sizes = [5, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>> -> tensor<5x5xf32>
        %14 = stream.binding.subspan %arg3[%c300] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [10, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>> -> tensor<10x5xf32>
        %16 = stream.binding.subspan %arg4[%c40] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %18 = stream.binding.subspan %arg0[%c1216] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %20 = stream.binding.subspan %arg5[%c2368] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %22 = stream.binding.subspan %arg6[%c192] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %24 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [2, 2, 10], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>> -> tensor<2x2x10xf32>
        %26 = stream.binding.subspan %arg8[%c1984] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %28 = stream.binding.subspan %arg9[%c2880] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %30 = arith.maxsi %extracted, %c0_i64 : i64
        %31 = arith.minsi %30, %c4_i64 : i64
        %32 = arith.index_cast %31 : i64 to index
        %33 = arith.remui %32, %c2 : index
        %inserted_slice = tensor.insert_slice %17 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_2 = tensor.insert_slice %19 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %34:5 = scf.for %arg10 = %c0 to %32 step %c1 iter_args(%arg11 = %21, %arg12 = %23, %arg13 = %25, %arg14 = %inserted_slice, %arg15 = %inserted_slice_2) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %37 = arith.index_cast %arg10 : index to i64
          %38 = arith.subi %32, %arg10 : index
          %39 = arith.remui %38, %c2 : index
          %40 = arith.subi %c1, %39 : index
          %41 = arith.maxsi %37, %c0_i64 : i64
          %42 = arith.minsi %41, %c3_i64 : i64
          %43 = arith.index_cast %42 : i64 to index
          %44 = arith.addi %37, %c1_i64 : i64
          %45 = arith.addi %37, %c1_i64 : i64
          %46 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg12) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg16] : tensor<2xi64>
            %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %56 = vector.broadcast %37 : i64 to vector<5xi64>
            %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
            %58 = arith.maxsi %37, %c0_i64 : i64
            %59 = arith.minsi %58, %c3_i64 : i64
            %60 = arith.index_cast %59 : i64 to index
            %61 = vector.transfer_read %7[%60, %arg16, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %62 = arith.mulf %61, %61 : vector<5xf32>
            %63 = arith.subf %cst, %62 : vector<5xf32>
            %64 = arith.maxsi %37, %c0_i64 : i64
            %65 = arith.minsi %64, %c3_i64 : i64
            %66 = arith.index_cast %65 : i64 to index
            %67 = vector.transfer_read %3[%66, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %68 = vector.transfer_read %arg14[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %69 = arith.addf %67, %68 : vector<5xf32>
            %70 = vector.transfer_read %arg15[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = arith.maxsi %37, %c0_i64 : i64
            %73 = arith.minsi %72, %c3_i64 : i64
            %74 = arith.index_cast %73 : i64 to index
            %75 = vector.transfer_read %7[%74, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %76 = arith.subf %cst, %75 : vector<5xf32>
            %77 = arith.mulf %71, %76 : vector<5xf32>
            %78 = arith.mulf %63, %77 : vector<5xf32>
            %79 = arith.select %57, %78, %cst_1 : vector<5xi1>, vector<5xf32>
            %80 = vector.transfer_write %79, %arg17[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %80 : tensor<2x2x5xf32>
          }
          %extracted_slice = tensor.extract_slice %46[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %47 = tensor.empty() : tensor<2x5xf32>
          %48 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%47 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %49 = linalg.matmul {lowering_config = #config6} ins(%extracted_slice, %13 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%48 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %50:3 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg11, %arg18 = %arg13, %arg19 = %arg15) -> (tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg16] : tensor<2xi64>
            %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %56 = vector.broadcast %37 : i64 to vector<5xi64>
            %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
            %58 = arith.maxsi %37, %c0_i64 : i64
            %59 = arith.minsi %58, %c3_i64 : i64
            %60 = arith.index_cast %59 : i64 to index
            %61 = vector.transfer_read %7[%60, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %62 = arith.subf %cst, %61 : vector<5xf32>
            %63 = arith.mulf %61, %62 : vector<5xf32>
            %64 = arith.maxsi %37, %c0_i64 : i64
            %65 = arith.minsi %64, %c3_i64 : i64
            %66 = arith.index_cast %65 : i64 to index
            %67 = vector.transfer_read %3[%66, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %68 = vector.transfer_read %arg14[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %69 = arith.addf %67, %68 : vector<5xf32>
            %70 = vector.transfer_read %arg19[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = vector.broadcast %44 : i64 to vector<5xi64>
            %73 = arith.cmpi sgt, %55, %72 : vector<5xi64>
            %74 = arith.maxsi %45, %c0_i64 : i64
            %75 = arith.minsi %74, %c3_i64 : i64
            %76 = arith.index_cast %75 : i64 to index
            %77 = vector.transfer_read %5[%76, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %78 = vector.transfer_read %11[%arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %79 = arith.select %73, %77, %78 : vector<5xi1>, vector<5xf32>
            %80 = arith.maxsi %37, %c0_i64 : i64
            %81 = arith.minsi %80, %c3_i64 : i64
            %82 = arith.index_cast %81 : i64 to index
            %83 = vector.transfer_read %7[%82, %arg16, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %84 = arith.subf %79, %83 : vector<5xf32>
            %85 = arith.mulf %71, %84 : vector<5xf32>
            %86 = arith.mulf %63, %85 : vector<5xf32>
            %87 = arith.select %57, %86, %cst_1 : vector<5xi1>, vector<5xf32>
            %88 = arith.maxsi %37, %c0_i64 : i64
            %89 = arith.minsi %88, %c3_i64 : i64
            %90 = arith.index_cast %89 : i64 to index
            %91 = vector.transfer_read %7[%90, %arg16, %c5], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %92 = arith.subf %cst, %91 : vector<5xf32>
            %93 = arith.mulf %91, %92 : vector<5xf32>
            %94 = vector.transfer_read %49[%arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %95 = arith.mulf %94, %79 : vector<5xf32>
            %96 = arith.mulf %93, %95 : vector<5xf32>
            %97 = arith.select %57, %96, %cst_1 : vector<5xi1>, vector<5xf32>
            %98 = arith.mulf %83, %83 : vector<5xf32>
            %99 = arith.subf %cst, %98 : vector<5xf32>
            %100 = arith.subf %cst, %61 : vector<5xf32>
            %101 = arith.mulf %71, %100 : vector<5xf32>
            %102 = arith.mulf %99, %101 : vector<5xf32>
            %103 = arith.select %57, %102, %cst_1 : vector<5xi1>, vector<5xf32>
            %104 = arith.select %57, %86, %cst_1 : vector<5xi1>, vector<5xf32>
            %105 = arith.select %57, %96, %cst_1 : vector<5xi1>, vector<5xf32>
            %106 = arith.mulf %71, %61 : vector<5xf32>
            %107 = arith.mulf %94, %91 : vector<5xf32>
            %108 = arith.addf %106, %107 : vector<5xf32>
            %109 = arith.select %57, %108, %70 : vector<5xi1>, vector<5xf32>
            %110 = vector.transfer_write %87, %arg17[%43, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %111 = vector.transfer_write %97, %110[%43, %arg16, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %112 = vector.transfer_write %103, %111[%43, %arg16, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %113 = vector.transfer_write %104, %arg18[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %114 = vector.transfer_write %105, %113[%40, %arg16, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %115 = vector.transfer_write %109, %arg19[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %112, %114, %115 : tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>
          }
          %extracted_slice_3 = tensor.extract_slice %50#1[%40, 0, 0] [1, 2, 10] [1, 1, 1] : tensor<2x2x10xf32> to tensor<2x10xf32>
          %51 = tensor.empty() : tensor<2x5xf32>
          %52 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%51 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %53 = linalg.matmul {lowering_config = #config7} ins(%extracted_slice_3, %15 : tensor<2x10xf32>, tensor<10x5xf32>) outs(%52 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %54 = scf.for %arg16 = %c0 to %c2 step %c1 iter_args(%arg17 = %arg14) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg16] : tensor<2xi64>
            %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %56 = vector.broadcast %37 : i64 to vector<5xi64>
            %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
            %58 = vector.transfer_read %53[%arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %59 = vector.transfer_read %arg17[%39, %arg16, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %60 = arith.select %57, %58, %59 : vector<5xi1>, vector<5xf32>
            %61 = vector.transfer_write %60, %arg17[%40, %arg16, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %61 : tensor<2x2x5xf32>
          }
          scf.yield %50#0, %46, %50#1, %54, %50#2 : tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %35 = arith.addi %32, %workgroup_id_0 : index
        %36 = scf.for %arg10 = %35 to %c4 step %c1 iter_args(%arg11 = %34#0) -> (tensor<4x2x15xf32>) {
          %extracted_slice = tensor.extract_slice %arg11[%arg10, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<4x2x15xf32> to tensor<2x15xf32>
          %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x15xf32>) attrs =  {lowering_config = #config8} {
          ^bb0(%out: f32):
            linalg.yield %cst_0 : f32
          } -> tensor<2x15xf32>
          %inserted_slice_3 = tensor.insert_slice %37 into %arg11[%arg10, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<2x15xf32> into tensor<4x2x15xf32>
          scf.yield %inserted_slice_3 : tensor<4x2x15xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %36, %20, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : tensor<4x2x15xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#1, %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#2, %24, offsets = [0, 0, 0], sizes = [2, 2, 10], strides = [1, 1, 1] : tensor<2x2x10xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#3, %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %34#4, %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
}
