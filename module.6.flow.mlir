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
  flow.executable private @lstm_block_cell_grad_dispatch_0 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg3: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg4: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg5: !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>, %arg6: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg7: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>, %arg8: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>, %arg9: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>) {
        %cst = arith.constant 1.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %3 = iree_tensor_ext.dispatch.tensor.load %arg3, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %arg4, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %arg5, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %6 = iree_tensor_ext.dispatch.tensor.load %arg6, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %7 = tensor.empty() : tensor<2x5xf32>
        %8:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map1, #map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %1, %2, %3, %4, %5, %6 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>) outs(%7, %7, %7 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %in_1: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32, %out_6: f32, %out_7: f32):
          %9 = arith.subf %cst, %in_2 : f32
          %10 = arith.mulf %in_2, %9 : f32
          %11 = arith.mulf %10, %in_1 : f32
          %12 = arith.mulf %11, %in_0 : f32
          %13 = arith.mulf %in_0, %in_0 : f32
          %14 = arith.subf %cst, %13 : f32
          %15 = arith.mulf %14, %in_1 : f32
          %16 = arith.mulf %15, %in_2 : f32
          %17 = arith.mulf %12, %in_4 : f32
          %18 = arith.addf %16, %in_3 : f32
          %19 = arith.addf %18, %17 : f32
          %20 = arith.mulf %in, %in : f32
          %21 = arith.subf %cst, %20 : f32
          %22 = arith.mulf %21, %19 : f32
          %23 = arith.mulf %22, %in_5 : f32
          linalg.yield %12, %19, %23 : f32, f32, f32
        } -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
        iree_tensor_ext.dispatch.tensor.store %8#0, %arg7, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %8#1, %arg8, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %8#2, %arg9, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        return
      }
    }
  }
  flow.executable private @lstm_block_cell_grad_dispatch_1 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg3: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg4: !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>, %arg5: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg6: !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>, %arg7: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>, %arg8: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>, %arg9: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>) {
        %cst = arith.constant 1.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %3 = iree_tensor_ext.dispatch.tensor.load %arg3, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %arg4, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %5 = iree_tensor_ext.dispatch.tensor.load %arg5, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %6 = iree_tensor_ext.dispatch.tensor.load %arg6, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %7 = tensor.empty() : tensor<2x5xf32>
        %8:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map1, #map, #map1, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%0, %1, %2, %3, %4, %5, %6 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>, tensor<5xf32>) outs(%7, %7, %7 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %in_1: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32, %out_6: f32, %out_7: f32):
          %9 = arith.subf %cst, %in_0 : f32
          %10 = arith.mulf %in_0, %9 : f32
          %11 = arith.mulf %10, %in : f32
          %12 = arith.mulf %11, %in_4 : f32
          %13 = arith.subf %cst, %in_1 : f32
          %14 = arith.mulf %in_1, %13 : f32
          %15 = arith.mulf %14, %in : f32
          %16 = arith.mulf %15, %in_2 : f32
          %17 = arith.mulf %12, %in_5 : f32
          %18 = arith.mulf %16, %in_3 : f32
          %19 = arith.addf %18, %17 : f32
          %20 = arith.mulf %in, %in_0 : f32
          %21 = arith.addf %20, %19 : f32
          linalg.yield %12, %16, %21 : f32, f32, f32
        } -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
        iree_tensor_ext.dispatch.tensor.store %8#0, %arg7, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %8#1, %arg8, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %8#2, %arg9, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        return
      }
    }
  }
  flow.executable private @lstm_block_cell_grad_dispatch_2 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_2_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_2_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  flow.executable private @lstm_block_cell_grad_dispatch_3 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_3_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_3_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 5], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  flow.executable private @lstm_block_cell_grad_dispatch_4 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_4_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_4_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 10], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  flow.executable private @lstm_block_cell_grad_dispatch_5 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_5_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_5_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 15], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x20xf32>>
        return
      }
    }
  }
  flow.executable private @lstm_block_cell_grad_dispatch_6 {
    flow.executable.export public @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %2 = tensor.empty() : tensor<5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5xf32>) -> tensor<5xf32>
        %4 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0, %1 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%3 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %5 = arith.mulf %in, %in_0 : f32
          %6 = arith.addf %out, %5 : f32
          linalg.yield %6 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  util.func public @lstm_block_cell_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.buffer_view, %arg13: !hal.buffer_view, %arg14: !hal.buffer_view, %arg15: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @lstm_block_cell_grad(%input0: tensor<2x3xf32>, %input1: tensor<2x5xf32>, %input2: tensor<2x5xf32>, %input3: tensor<8x20xf32>, %input4: tensor<5xf32>, %input5: tensor<5xf32>, %input6: tensor<5xf32>, %input7: tensor<20xf32>, %input8: tensor<2x5xf32>, %input9: tensor<2x5xf32>, %input10: tensor<2x5xf32>, %input11: tensor<2x5xf32>, %input12: tensor<2x5xf32>, %input13: tensor<2x5xf32>, %input14: tensor<2x5xf32>, %input15: tensor<2x5xf32>) -> (%output0: tensor<2x5xf32>, %output1: tensor<2x20xf32>, %output2: tensor<5xf32>, %output3: tensor<5xf32>, %output4: tensor<5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[2,5], cs: float32[2,5], f: float32[2,5], o: float32[2,5], ci: float32[2,5], co: float32[2,5], cs_grad: float32[2,5], h_grad: float32[2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "LSTMBlockCellGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "cs_prev_grad: float32[2,5], dicfo: float32[2,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %0 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x5xf32>
    %1 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<5xf32>
    %2 = hal.tensor.import %arg5 "input5" : !hal.buffer_view -> tensor<5xf32>
    %3 = hal.tensor.import %arg6 "input6" : !hal.buffer_view -> tensor<5xf32>
    %4 = hal.tensor.import %arg8 "input8" : !hal.buffer_view -> tensor<2x5xf32>
    %5 = hal.tensor.import %arg9 "input9" : !hal.buffer_view -> tensor<2x5xf32>
    %6 = hal.tensor.import %arg10 "input10" : !hal.buffer_view -> tensor<2x5xf32>
    %7 = hal.tensor.import %arg11 "input11" : !hal.buffer_view -> tensor<2x5xf32>
    %8 = hal.tensor.import %arg12 "input12" : !hal.buffer_view -> tensor<2x5xf32>
    %9 = hal.tensor.import %arg13 "input13" : !hal.buffer_view -> tensor<2x5xf32>
    %10 = hal.tensor.import %arg14 "input14" : !hal.buffer_view -> tensor<2x5xf32>
    %11 = hal.tensor.import %arg15 "input15" : !hal.buffer_view -> tensor<2x5xf32>
    %12 = util.optimization_barrier %11 : tensor<2x5xf32>
    %13 = util.optimization_barrier %10 : tensor<2x5xf32>
    %14 = util.optimization_barrier %9 : tensor<2x5xf32>
    %15 = util.optimization_barrier %8 : tensor<2x5xf32>
    %16 = util.optimization_barrier %7 : tensor<2x5xf32>
    %17 = util.optimization_barrier %6 : tensor<2x5xf32>
    %18 = util.optimization_barrier %5 : tensor<2x5xf32>
    %19 = util.optimization_barrier %4 : tensor<2x5xf32>
    %20 = util.optimization_barrier %3 : tensor<5xf32>
    %21 = util.optimization_barrier %2 : tensor<5xf32>
    %22 = util.optimization_barrier %1 : tensor<5xf32>
    %23 = util.optimization_barrier %0 : tensor<2x5xf32>
    %24:3 = flow.dispatch @lstm_block_cell_grad_dispatch_0::@lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32(%15, %14, %12, %16, %13, %20, %19) : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
    %25:3 = flow.dispatch @lstm_block_cell_grad_dispatch_1::@lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32(%24#1, %17, %19, %15, %22, %23, %21) : (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>, tensor<5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>)
    %26 = flow.tensor.empty : tensor<2x20xf32>
    %27 = flow.dispatch @lstm_block_cell_grad_dispatch_2::@lstm_block_cell_grad_dispatch_2_slow_memcpy(%25#1, %26) : (tensor<2x5xf32>, tensor<2x20xf32>) -> %26
    %28 = flow.dispatch @lstm_block_cell_grad_dispatch_3::@lstm_block_cell_grad_dispatch_3_slow_memcpy(%24#2, %27) : (tensor<2x5xf32>, tensor<2x20xf32>) -> %27
    %29 = flow.dispatch @lstm_block_cell_grad_dispatch_4::@lstm_block_cell_grad_dispatch_4_slow_memcpy(%25#0, %28) : (tensor<2x5xf32>, tensor<2x20xf32>) -> %28
    %30 = flow.dispatch @lstm_block_cell_grad_dispatch_5::@lstm_block_cell_grad_dispatch_5_slow_memcpy(%24#0, %29) : (tensor<2x5xf32>, tensor<2x20xf32>) -> %29
    %31 = flow.dispatch @lstm_block_cell_grad_dispatch_6::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%25#1, %23) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<5xf32>
    %32 = flow.dispatch @lstm_block_cell_grad_dispatch_6::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%25#0, %23) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<5xf32>
    %33 = flow.dispatch @lstm_block_cell_grad_dispatch_6::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%24#0, %18) : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<5xf32>
    %34 = hal.tensor.export %25#2 "output0" : tensor<2x5xf32> -> !hal.buffer_view
    %35 = hal.tensor.export %30 "output1" : tensor<2x20xf32> -> !hal.buffer_view
    %36 = hal.tensor.export %31 "output2" : tensor<5xf32> -> !hal.buffer_view
    %37 = hal.tensor.export %32 "output3" : tensor<5xf32> -> !hal.buffer_view
    %38 = hal.tensor.export %33 "output4" : tensor<5xf32> -> !hal.buffer_view
    util.return %34, %35, %36, %37, %38 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  flow.executable private @block_lstm_grad_v2_dispatch_0 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_0_elementwise workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      flow.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_0_elementwise(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>) {
        %c0_i64 = arith.constant 0 : i64
        %c4_i64 = arith.constant 4 : i64
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %1 = tensor.empty() : tensor<i64>
        %2 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%0 : tensor<i64>) outs(%1 : tensor<i64>) {
        ^bb0(%in: i64, %out: i64):
          %3 = arith.maxsi %in, %c0_i64 : i64
          %4 = arith.minui %3, %c4_i64 : i64
          linalg.yield %4 : i64
        } -> tensor<i64>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [], sizes = [], strides = [] : tensor<i64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_1 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20x5xf32>>) {
        %0 = tensor.empty() : tensor<20x5xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [3, 0], sizes = [5, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<5x20xf32>
        %2 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<5x20xf32>) outs(%0 : tensor<20x5xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<20x5xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [0, 0], sizes = [20, 5], strides = [1, 1] : tensor<20x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20x5xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_2 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>, %arg3: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %c2 = arith.constant 2 : index
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x20xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %2 = tensor.empty() : tensor<8x3xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %4 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [3, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<3x20xf32>
        %5 = linalg.matmul indexing_maps = [#map5, #map6, #map7] ins(%0, %4 : tensor<8x20xf32>, tensor<3x20xf32>) outs(%3 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %6 = linalg.generic {indexing_maps = [#map8, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %5 : tensor<i64>, tensor<8x3xf32>) outs(%2 : tensor<8x3xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %7 = linalg.index 0 : index
          %8 = arith.divsi %7, %c2 : index
          %9 = arith.index_cast %8 : index to i64
          %10 = arith.cmpi slt, %9, %in : i64
          %11 = arith.select %10, %in_0, %cst : f32
          linalg.yield %11 : f32
        } -> tensor<8x3xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %arg3, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : tensor<8x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_3 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<24xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<24xf32>>) {
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0], sizes = [24], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<24xf32>> -> tensor<24xf32>
        %2 = tensor.empty() : tensor<24xf32>
        %3 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%0, %1 : tensor<i64>, tensor<24xf32>) outs(%2 : tensor<24xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %4 = linalg.index 0 : index
          %5 = arith.divsi %4, %c3 : index
          %6 = arith.divsi %5, %c2 : index
          %7 = arith.index_cast %6 : index to i64
          %8 = arith.cmpi slt, %7, %in : i64
          %9 = arith.select %8, %in_0, %cst : f32
          linalg.yield %9 : f32
        } -> tensor<24xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg2, offsets = [0], sizes = [24], strides = [1] : tensor<24xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<24xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_4 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<50xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>) {
        %c2 = arith.constant 2 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [40], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<50xf32>> -> tensor<40xf32>
        %2 = tensor.empty() : tensor<40xf32>
        %3 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%0, %1 : tensor<i64>, tensor<40xf32>) outs(%2 : tensor<40xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %4 = linalg.index 0 : index
          %5 = arith.divsi %4, %c5 : index
          %6 = arith.divsi %5, %c2 : index
          %7 = arith.index_cast %6 : index to i64
          %8 = arith.cmpi slt, %7, %in : i64
          %9 = arith.select %8, %in_0, %cst : f32
          linalg.yield %9 : f32
        } -> tensor<40xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg2, offsets = [0], sizes = [40], strides = [1] : tensor<40xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_5 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_5_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_5_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : tensor<4x2x3xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_6 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_6_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_6_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 3], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x8xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_7 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x8xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x8xf32>> -> tensor<8x8xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x20xf32>
        %2 = tensor.empty() : tensor<8x20xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x20xf32>) -> tensor<8x20xf32>
        %4 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%0, %1 : tensor<8x8xf32>, tensor<8x20xf32>) outs(%3 : tensor<8x20xf32>) -> tensor<8x20xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : tensor<8x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_8 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x20xf32>
        %1 = tensor.empty() : tensor<20xf32>
        %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<20xf32>) -> tensor<20xf32>
        %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<8x20xf32>) outs(%2 : tensor<20xf32>) {
        ^bb0(%in: f32, %out: f32):
          %4 = arith.addf %out, %in : f32
          linalg.yield %4 : f32
        } -> tensor<20xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_10 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<40xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>) {
        %c2 = arith.constant 2 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0], sizes = [40], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<40xf32>> -> tensor<40xf32>
        %2 = tensor.empty() : tensor<40xf32>
        %3 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%0, %1 : tensor<i64>, tensor<40xf32>) outs(%2 : tensor<40xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %4 = linalg.index 0 : index
          %5 = arith.divsi %4, %c5 : index
          %6 = arith.divsi %5, %c2 : index
          %7 = arith.index_cast %6 : index to i64
          %8 = arith.cmpi slt, %7, %in : i64
          %9 = arith.select %8, %in_0, %cst : f32
          linalg.yield %9 : f32
        } -> tensor<40xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg2, offsets = [0], sizes = [40], strides = [1] : tensor<40xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<40xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_11 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %1 = tensor.empty() : tensor<5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5xf32>) -> tensor<5xf32>
        %4 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2, %0 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%3 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %5 = arith.mulf %in, %in_0 : f32
          %6 = arith.addf %out, %5 : f32
          linalg.yield %6 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_12 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %1 = tensor.empty() : tensor<5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 5], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5xf32>) -> tensor<5xf32>
        %4 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2, %0 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%3 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %5 = arith.mulf %in, %in_0 : f32
          %6 = arith.addf %out, %5 : f32
          linalg.yield %6 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  flow.executable private @block_lstm_grad_v2_dispatch_13 {
    flow.executable.export public @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %1 = tensor.empty() : tensor<5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 15], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x20xf32>> -> tensor<8x5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5xf32>) -> tensor<5xf32>
        %4 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2, %0 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%3 : tensor<5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %5 = arith.mulf %in, %in_0 : f32
          %6 = arith.addf %out, %5 : f32
          linalg.yield %6 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  util.func public @block_lstm_grad_v2(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.buffer_view, %arg13: !hal.buffer_view, %arg14: !hal.buffer_view, %arg15: !hal.buffer_view, %arg16: !hal.buffer_view, %arg17: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @block_lstm_grad_v2(%input0: tensor<i64>, %input1: tensor<4x2x3xf32>, %input2: tensor<2x5xf32>, %input3: tensor<2x5xf32>, %input4: tensor<8x20xf32>, %input5: tensor<5xf32>, %input6: tensor<5xf32>, %input7: tensor<5xf32>, %input8: tensor<20xf32>, %input9: tensor<4x2x5xf32>, %input10: tensor<4x2x5xf32>, %input11: tensor<4x2x5xf32>, %input12: tensor<4x2x5xf32>, %input13: tensor<4x2x5xf32>, %input14: tensor<4x2x5xf32>, %input15: tensor<4x2x5xf32>, %input16: tensor<4x2x5xf32>, %input17: tensor<4x2x5xf32>) -> (%output0: tensor<4x2x3xf32>, %output1: tensor<2x5xf32>, %output2: tensor<2x5xf32>, %output3: tensor<8x20xf32>, %output4: tensor<5xf32>, %output5: tensor<5xf32>, %output6: tensor<5xf32>, %output7: tensor<20xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "seq_len_max: int64[], x: float32[4,2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[4,2,5], cs: float32[4,2,5], f: float32[4,2,5], o: float32[4,2,5], ci: float32[4,2,5], co: float32[4,2,5], h: float32[4,2,5], cs_grad: float32[4,2,5], h_grad: float32[4,2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "BlockLSTMGradV2", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "x_grad: float32[4,2,3], cs_prev_grad: float32[2,5], h_prev_grad: float32[2,5], w_grad: float32[8,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5], b_grad: float32[20]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<i64>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<4x2x3xf32>
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x5xf32>
    %3 = hal.tensor.import %arg3 "input3" : !hal.buffer_view -> tensor<2x5xf32>
    %4 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<8x20xf32>
    %5 = hal.tensor.import %arg5 "input5" : !hal.buffer_view -> tensor<5xf32>
    %6 = hal.tensor.import %arg6 "input6" : !hal.buffer_view -> tensor<5xf32>
    %7 = hal.tensor.import %arg7 "input7" : !hal.buffer_view -> tensor<5xf32>
    %8 = hal.tensor.import %arg9 "input9" : !hal.buffer_view -> tensor<4x2x5xf32>
    %9 = hal.tensor.import %arg10 "input10" : !hal.buffer_view -> tensor<4x2x5xf32>
    %10 = hal.tensor.import %arg11 "input11" : !hal.buffer_view -> tensor<4x2x5xf32>
    %11 = hal.tensor.import %arg12 "input12" : !hal.buffer_view -> tensor<4x2x5xf32>
    %12 = hal.tensor.import %arg13 "input13" : !hal.buffer_view -> tensor<4x2x5xf32>
    %13 = hal.tensor.import %arg14 "input14" : !hal.buffer_view -> tensor<4x2x5xf32>
    %14 = hal.tensor.import %arg15 "input15" : !hal.buffer_view -> tensor<4x2x5xf32>
    %15 = hal.tensor.import %arg16 "input16" : !hal.buffer_view -> tensor<4x2x5xf32>
    %16 = hal.tensor.import %arg17 "input17" : !hal.buffer_view -> tensor<4x2x5xf32>
    %17 = util.optimization_barrier %16 : tensor<4x2x5xf32>
    %18 = util.optimization_barrier %15 : tensor<4x2x5xf32>
    %19 = util.optimization_barrier %14 : tensor<4x2x5xf32>
    %20 = util.optimization_barrier %13 : tensor<4x2x5xf32>
    %21 = util.optimization_barrier %12 : tensor<4x2x5xf32>
    %22 = util.optimization_barrier %11 : tensor<4x2x5xf32>
    %23 = util.optimization_barrier %10 : tensor<4x2x5xf32>
    %24 = util.optimization_barrier %9 : tensor<4x2x5xf32>
    %25 = util.optimization_barrier %8 : tensor<4x2x5xf32>
    %26 = util.optimization_barrier %7 : tensor<5xf32>
    %27 = util.optimization_barrier %6 : tensor<5xf32>
    %28 = util.optimization_barrier %5 : tensor<5xf32>
    %29 = util.optimization_barrier %4 : tensor<8x20xf32>
    %30 = util.optimization_barrier %3 : tensor<2x5xf32>
    %31 = util.optimization_barrier %2 : tensor<2x5xf32>
    %32 = util.optimization_barrier %1 : tensor<4x2x3xf32>
    %33 = util.optimization_barrier %0 : tensor<i64>
    %34 = flow.dispatch @block_lstm_grad_v2_dispatch_0::@block_lstm_grad_v2_dispatch_0_elementwise(%33) : (tensor<i64>) -> tensor<i64>
    %35 = flow.tensor.clone %25 : tensor<4x2x5xf32>
    %36 = flow.tensor.clone %23 : tensor<4x2x5xf32>
    %37 = flow.tensor.clone %22 : tensor<4x2x5xf32>
    %38 = flow.tensor.clone %21 : tensor<4x2x5xf32>
    %39 = flow.tensor.clone %20 : tensor<4x2x5xf32>
    %40 = flow.tensor.clone %24 : tensor<4x2x5xf32>
    %41 = flow.tensor.clone %31 : tensor<2x5xf32>
    %42 = flow.tensor.clone %18 : tensor<4x2x5xf32>
    %43 = flow.tensor.clone %17 : tensor<4x2x5xf32>
    %44 = flow.tensor.clone %28 : tensor<5xf32>
    %45 = flow.tensor.clone %27 : tensor<5xf32>
    %46 = flow.tensor.clone %26 : tensor<5xf32>
    %47 = flow.dispatch @block_lstm_grad_v2_dispatch_1::@block_lstm_grad_v2_dispatch_1_transpose_5x20_f32(%29) : (tensor<8x20xf32>) -> tensor<20x5xf32>
    %48 = flow.tensor.clone %47 : tensor<20x5xf32>
    %49:3 = flow.dispatch @block_lstm_grad_v2_lstm_backward_loop::@block_lstm_grad_v2_lstm_backward_loop(%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %48, %cst, %cst) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %50 = flow.tensor.slice %49#1[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %51 = flow.tensor.reshape %50 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %52 = flow.tensor.slice %49#2[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %53 = flow.tensor.reshape %52 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %54 = flow.tensor.reshape %49#0 : tensor<4x2x20xf32> -> tensor<8x20xf32>
    %55 = flow.dispatch @block_lstm_grad_v2_dispatch_2::@block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32(%29, %54, %34) : (tensor<8x20xf32>, tensor<8x20xf32>, tensor<i64>) -> tensor<8x3xf32>
    %56 = flow.tensor.reshape %55 : tensor<8x3xf32> -> tensor<4x2x3xf32>
    %57 = flow.tensor.reshape %32 : tensor<4x2x3xf32> -> tensor<24xf32>
    %58 = flow.dispatch @block_lstm_grad_v2_dispatch_3::@block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32(%34, %57) : (tensor<i64>, tensor<24xf32>) -> tensor<24xf32>
    %59 = flow.tensor.reshape %58 : tensor<24xf32> -> tensor<4x2x3xf32>
    %60 = flow.tensor.empty : tensor<5x2x5xf32>
    %61 = flow.tensor.reshape %30 : tensor<2x5xf32> -> tensor<1x2x5xf32>
    %62 = flow.tensor.update %61, %60[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %60 as tensor<5x2x5xf32>
    %63 = flow.tensor.update %19, %62[%c1, %c0, %c0] : tensor<4x2x5xf32> -> %62 as tensor<5x2x5xf32>
    %64 = flow.tensor.reshape %63 : tensor<5x2x5xf32> -> tensor<50xf32>
    %65 = flow.dispatch @block_lstm_grad_v2_dispatch_4::@block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%64, %34) : (tensor<50xf32>, tensor<i64>) -> tensor<40xf32>
    %66 = flow.tensor.reshape %65 : tensor<40xf32> -> tensor<4x2x5xf32>
    %67 = flow.tensor.empty : tensor<4x2x8xf32>
    %68 = flow.dispatch @block_lstm_grad_v2_dispatch_5::@block_lstm_grad_v2_dispatch_5_slow_memcpy(%59, %67) : (tensor<4x2x3xf32>, tensor<4x2x8xf32>) -> %67
    %69 = flow.dispatch @block_lstm_grad_v2_dispatch_6::@block_lstm_grad_v2_dispatch_6_slow_memcpy(%66, %68) : (tensor<4x2x5xf32>, tensor<4x2x8xf32>) -> %68
    %70 = flow.tensor.reshape %69 : tensor<4x2x8xf32> -> tensor<8x8xf32>
    %71 = flow.dispatch @block_lstm_grad_v2_dispatch_7::@block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32(%70, %54) : (tensor<8x8xf32>, tensor<8x20xf32>) -> tensor<8x20xf32>
    %72 = flow.dispatch @block_lstm_grad_v2_dispatch_8::@block_lstm_grad_v2_dispatch_8_reduction_20x8_f32(%54) : (tensor<8x20xf32>) -> tensor<20xf32>
    %73 = flow.tensor.reshape %31 : tensor<2x5xf32> -> tensor<1x2x5xf32>
    %74 = flow.tensor.update %73, %60[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %60 as tensor<5x2x5xf32>
    %75 = flow.tensor.update %24, %74[%c1, %c0, %c0] : tensor<4x2x5xf32> -> %74 as tensor<5x2x5xf32>
    %76 = flow.tensor.reshape %75 : tensor<5x2x5xf32> -> tensor<50xf32>
    %77 = flow.dispatch @block_lstm_grad_v2_dispatch_4::@block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%76, %34) : (tensor<50xf32>, tensor<i64>) -> tensor<40xf32>
    %78 = flow.tensor.reshape %24 : tensor<4x2x5xf32> -> tensor<40xf32>
    %79 = flow.dispatch @block_lstm_grad_v2_dispatch_10::@block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32(%34, %78) : (tensor<i64>, tensor<40xf32>) -> tensor<40xf32>
    %80 = flow.tensor.reshape %77 : tensor<40xf32> -> tensor<8x5xf32>
    %81 = flow.dispatch @block_lstm_grad_v2_dispatch_11::@block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32(%54, %80) : (tensor<8x20xf32>, tensor<8x5xf32>) -> tensor<5xf32>
    %82 = flow.dispatch @block_lstm_grad_v2_dispatch_12::@block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32(%54, %80) : (tensor<8x20xf32>, tensor<8x5xf32>) -> tensor<5xf32>
    %83 = flow.tensor.reshape %79 : tensor<40xf32> -> tensor<8x5xf32>
    %84 = flow.dispatch @block_lstm_grad_v2_dispatch_13::@block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32(%54, %83) : (tensor<8x20xf32>, tensor<8x5xf32>) -> tensor<5xf32>
    %85 = hal.tensor.export %56 "output0" : tensor<4x2x3xf32> -> !hal.buffer_view
    %86 = hal.tensor.export %51 "output1" : tensor<2x5xf32> -> !hal.buffer_view
    %87 = hal.tensor.export %53 "output2" : tensor<2x5xf32> -> !hal.buffer_view
    %88 = hal.tensor.export %71 "output3" : tensor<8x20xf32> -> !hal.buffer_view
    %89 = hal.tensor.export %81 "output4" : tensor<5xf32> -> !hal.buffer_view
    %90 = hal.tensor.export %82 "output5" : tensor<5xf32> -> !hal.buffer_view
    %91 = hal.tensor.export %84 "output6" : tensor<5xf32> -> !hal.buffer_view
    %92 = hal.tensor.export %72 "output7" : tensor<20xf32> -> !hal.buffer_view
    util.return %85, %86, %87, %88, %89, %90, %91, %92 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @block_lstm_grad_v2_lstm_backward_loop {
    stream.executable.export public @block_lstm_grad_v2_lstm_backward_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @block_lstm_grad_v2_lstm_backward_loop(%arg0: !stream.binding, %arg1: !stream.binding, %arg2: !stream.binding, %arg3: !stream.binding, %arg4: !stream.binding, %arg5: !stream.binding, %arg6: !stream.binding, %arg7: !stream.binding, %arg8: !stream.binding, %arg9: !stream.binding, %arg10: !stream.binding, %arg11: !stream.binding, %arg12: !stream.binding, %arg13: !stream.binding, %arg14: !stream.binding, %arg15: !stream.binding, %arg16: !stream.binding, %arg17: !stream.binding, %arg18: !stream.binding) attributes {translation_info = #translation} {
        %c2_i64 = arith.constant 2 : i64
        %c4 = arith.constant 4 : index
        %c15 = arith.constant 15 : index
        %c10 = arith.constant 10 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant dense<1.000000e+00> : vector<5xf32>
        %cst_0 = arith.constant 0.000000e+00 : f32
        %c3_i64 = arith.constant 3 : i64
        %c1_i64 = arith.constant 1 : i64
        %c2 = arith.constant 2 : index
        %c1 = arith.constant 1 : index
        %c4_i64 = arith.constant 4 : i64
        %c0_i64 = arith.constant 0 : i64
        %c0 = arith.constant 0 : index
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
        %26 = stream.binding.subspan %arg13[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<20x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0], sizes = [20, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<20x5xf32>> -> tensor<20x5xf32>
        %28 = stream.binding.subspan %arg14[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %30 = stream.binding.subspan %arg15[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %31 = iree_tensor_ext.dispatch.tensor.load %30, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %32 = stream.binding.subspan %arg16[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x20xf32>>
        %33 = iree_tensor_ext.dispatch.tensor.load %32, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x20xf32>> -> tensor<4x2x20xf32>
        %34 = stream.binding.subspan %arg17[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %35 = iree_tensor_ext.dispatch.tensor.load %34, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %36 = stream.binding.subspan %arg18[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %37 = iree_tensor_ext.dispatch.tensor.load %36, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %38 = arith.maxsi %extracted, %c0_i64 : i64
        %39 = arith.minsi %38, %c4_i64 : i64
        %40 = arith.index_cast %39 : i64 to index
        %41 = arith.remui %40, %c2 : index
        %inserted_slice = tensor.insert_slice %29 into %35[%41, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_1 = tensor.insert_slice %31 into %37[%41, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %42:3 = scf.for %arg19 = %c0 to %40 step %c1 iter_args(%arg20 = %33, %arg21 = %inserted_slice, %arg22 = %inserted_slice_1) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %45 = arith.index_cast %arg19 : index to i64
          %46 = arith.subi %40, %arg19 : index
          %47 = arith.remui %46, %c2 : index
          %48 = arith.subi %c1, %47 : index
          %49 = arith.subi %extracted, %45 : i64
          %50 = arith.subi %49, %c1_i64 : i64
          %51 = arith.maxsi %50, %c0_i64 : i64
          %52 = arith.minsi %51, %c3_i64 : i64
          %53 = arith.index_cast %52 : i64 to index
          %54 = arith.cmpi eq, %50, %c0_i64 : i64
          %55 = arith.subi %49, %c2_i64 : i64
          %56:2 = scf.for %arg23 = %c0 to %c2 step %c1 iter_args(%arg24 = %arg20, %arg25 = %arg21) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>) {
            %61 = arith.maxsi %50, %c0_i64 : i64
            %62 = arith.minsi %61, %c3_i64 : i64
            %63 = arith.index_cast %62 : i64 to index
            %64 = vector.transfer_read %3[%63, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %65 = arith.subf %cst, %64 : vector<5xf32>
            %66 = arith.mulf %64, %65 : vector<5xf32>
            %67 = arith.maxsi %50, %c0_i64 : i64
            %68 = arith.minsi %67, %c3_i64 : i64
            %69 = arith.index_cast %68 : i64 to index
            %70 = vector.transfer_read %11[%69, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %71 = arith.mulf %70, %70 : vector<5xf32>
            %72 = arith.subf %cst, %71 : vector<5xf32>
            %73 = arith.maxsi %50, %c0_i64 : i64
            %74 = arith.minsi %73, %c3_i64 : i64
            %75 = arith.index_cast %74 : i64 to index
            %76 = vector.transfer_read %19[%75, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %77 = vector.transfer_read %arg22[%47, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %78 = arith.addf %76, %77 : vector<5xf32>
            %79 = arith.mulf %72, %78 : vector<5xf32>
            %80 = arith.maxsi %50, %c0_i64 : i64
            %81 = arith.minsi %80, %c3_i64 : i64
            %82 = arith.index_cast %81 : i64 to index
            %83 = vector.transfer_read %7[%82, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %84 = arith.mulf %79, %83 : vector<5xf32>
            %85 = arith.maxsi %50, %c0_i64 : i64
            %86 = arith.minsi %85, %c3_i64 : i64
            %87 = arith.index_cast %86 : i64 to index
            %88 = vector.transfer_read %17[%87, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %89 = vector.transfer_read %arg25[%47, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %90 = arith.addf %88, %89 : vector<5xf32>
            %91 = arith.addf %84, %90 : vector<5xf32>
            %92 = arith.subf %cst, %83 : vector<5xf32>
            %93 = arith.mulf %83, %92 : vector<5xf32>
            %94 = arith.mulf %93, %78 : vector<5xf32>
            %95 = arith.mulf %94, %70 : vector<5xf32>
            %96 = vector.transfer_read %25[%c0], %cst_0 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %97 = arith.mulf %95, %96 : vector<5xf32>
            %98 = arith.addf %91, %97 : vector<5xf32>
            %99 = arith.mulf %66, %98 : vector<5xf32>
            %100 = arith.maxsi %50, %c0_i64 : i64
            %101 = arith.minsi %100, %c3_i64 : i64
            %102 = arith.index_cast %101 : i64 to index
            %103 = vector.transfer_read %9[%102, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %104 = arith.mulf %99, %103 : vector<5xf32>
            %105 = arith.maxsi %50, %c0_i64 : i64
            %106 = arith.minsi %105, %c3_i64 : i64
            %107 = arith.index_cast %106 : i64 to index
            %108 = vector.transfer_read %5[%107, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %109 = arith.subf %cst, %108 : vector<5xf32>
            %110 = arith.mulf %108, %109 : vector<5xf32>
            %111 = arith.mulf %110, %98 : vector<5xf32>
            %112 = vector.broadcast %54 : i1 to vector<5xi1>
            %113 = vector.transfer_read %15[%arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %114 = arith.maxsi %55, %c0_i64 : i64
            %115 = arith.minsi %114, %c3_i64 : i64
            %116 = arith.index_cast %115 : i64 to index
            %117 = vector.transfer_read %13[%116, %arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %118 = arith.select %112, %113, %117 : vector<5xi1>, vector<5xf32>
            %119 = arith.mulf %111, %118 : vector<5xf32>
            %120 = arith.mulf %103, %103 : vector<5xf32>
            %121 = arith.subf %cst, %120 : vector<5xf32>
            %122 = arith.mulf %121, %98 : vector<5xf32>
            %123 = arith.mulf %122, %64 : vector<5xf32>
            %124 = arith.mulf %98, %108 : vector<5xf32>
            %125 = vector.transfer_read %21[%c0], %cst_0 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %126 = arith.mulf %104, %125 : vector<5xf32>
            %127 = vector.transfer_read %23[%c0], %cst_0 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %128 = arith.mulf %119, %127 : vector<5xf32>
            %129 = arith.addf %126, %128 : vector<5xf32>
            %130 = arith.addf %124, %129 : vector<5xf32>
            %131 = vector.transfer_write %104, %arg24[%53, %arg23, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %132 = vector.transfer_write %119, %131[%53, %arg23, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %133 = vector.transfer_write %123, %132[%53, %arg23, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %134 = vector.transfer_write %95, %133[%53, %arg23, %c15] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
            %135 = vector.transfer_write %130, %arg25[%48, %arg23, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %134, %135 : tensor<4x2x20xf32>, tensor<2x2x5xf32>
          }
          %extracted_slice = tensor.extract_slice %56#0[%53, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<4x2x20xf32> to tensor<2x20xf32>
          %57 = tensor.empty() : tensor<2x5xf32>
          %58 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%57 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %59 = linalg.matmul {lowering_config = #config1} ins(%extracted_slice, %27 : tensor<2x20xf32>, tensor<20x5xf32>) outs(%58 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %60 = scf.for %arg23 = %c0 to %c2 step %c1 iter_args(%arg24 = %arg22) -> (tensor<2x2x5xf32>) {
            %61 = vector.transfer_read %59[%arg23, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %62 = vector.transfer_write %61, %arg24[%48, %arg23, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %62 : tensor<2x2x5xf32>
          }
          scf.yield %56#0, %56#1, %60 : tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %43 = arith.addi %40, %workgroup_id_0 : index
        %44 = scf.for %arg19 = %43 to %c4 step %c1 iter_args(%arg20 = %42#0) -> (tensor<4x2x20xf32>) {
          %extracted_slice = tensor.extract_slice %arg20[%arg19, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<4x2x20xf32> to tensor<2x20xf32>
          %45 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x20xf32>) attrs =  {lowering_config = #config2} {
          ^bb0(%out: f32):
            linalg.yield %cst_0 : f32
          } -> tensor<2x20xf32>
          %inserted_slice_2 = tensor.insert_slice %45 into %arg20[%arg19, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<2x20xf32> into tensor<4x2x20xf32>
          scf.yield %inserted_slice_2 : tensor<4x2x20xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %44, %32, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : tensor<4x2x20xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x20xf32>>
        iree_tensor_ext.dispatch.tensor.store %42#1, %34, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %42#2, %36, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_0 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x3xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x3xf32>> -> tensor<2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0], sizes = [2, 3], strides = [1, 1] : tensor<2x3xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_1 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 3], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x8xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_2 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x10xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>> -> tensor<2x8xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [2, 10], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>> -> tensor<2x10xf32>
        %2 = tensor.empty() : tensor<8x10xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x10xf32>) -> tensor<8x10xf32>
        %4 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%0, %1 : tensor<2x8xf32>, tensor<2x10xf32>) outs(%3 : tensor<8x10xf32>) -> tensor<8x10xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 10], strides = [1, 1] : tensor<8x10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x10xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_3 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [10], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>> -> tensor<10xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0], sizes = [10], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10xf32>> -> tensor<10xf32>
        %2 = tensor.empty() : tensor<10xf32>
        %3 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%0, %1 : tensor<10xf32>, tensor<10xf32>) outs(%2 : tensor<10xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %4 = arith.mulf %in, %in_0 : f32
          linalg.yield %4 : f32
        } -> tensor<10xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg2, offsets = [0], sizes = [10], strides = [1] : tensor<10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_5 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x8xf32>> -> tensor<2x8xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %2 = tensor.empty() : tensor<8x5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x5xf32>) -> tensor<8x5xf32>
        %4 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%0, %1 : tensor<2x8xf32>, tensor<2x5xf32>) outs(%3 : tensor<8x5xf32>) -> tensor<8x5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : tensor<8x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x5xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_6 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 10], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x10xf32>> -> tensor<2x10xf32>
        %1 = tensor.empty() : tensor<10xf32>
        %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<10xf32>) -> tensor<10xf32>
        %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<2x10xf32>) outs(%2 : tensor<10xf32>) {
        ^bb0(%in: f32, %out: f32):
          %4 = arith.addf %out, %in : f32
          linalg.yield %4 : f32
        } -> tensor<10xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [10], strides = [1] : tensor<10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10xf32>>
        return
      }
    }
  }
  flow.executable private @gru_block_cell_parameter_grad_dispatch_7 {
    flow.executable.export public @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %1 = tensor.empty() : tensor<5xf32>
        %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5xf32>) -> tensor<5xf32>
        %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<2x5xf32>) outs(%2 : tensor<5xf32>) {
        ^bb0(%in: f32, %out: f32):
          %4 = arith.addf %out, %in : f32
          linalg.yield %4 : f32
        } -> tensor<5xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [5], strides = [1] : tensor<5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5xf32>>
        return
      }
    }
  }
  util.func public @gru_block_cell_parameter_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @gru_block_cell_parameter_grad(%input0: tensor<2x3xf32>, %input1: tensor<2x5xf32>, %input2: tensor<2x5xf32>, %input3: tensor<2x5xf32>, %input4: tensor<2x10xf32>) -> (%output0: tensor<8x10xf32>, %output1: tensor<8x5xf32>, %output2: tensor<10xf32>, %output3: tensor<5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], h_prev: float32[2,5], r: float32[2,5], d_c_bar: float32[2,5], d_r_bar_u_bar: float32[2,10]", rnn_compiler.attributes = "{}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "GRUBlockCellParameterGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "d_w_ru: float32[8,10], d_w_c: float32[8,5], d_b_ru: float32[10], d_b_c: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<2x3xf32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x5xf32>
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x5xf32>
    %3 = hal.tensor.import %arg3 "input3" : !hal.buffer_view -> tensor<2x5xf32>
    %4 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<2x10xf32>
    %5 = util.optimization_barrier %4 : tensor<2x10xf32>
    %6 = util.optimization_barrier %3 : tensor<2x5xf32>
    %7 = util.optimization_barrier %2 : tensor<2x5xf32>
    %8 = util.optimization_barrier %1 : tensor<2x5xf32>
    %9 = util.optimization_barrier %0 : tensor<2x3xf32>
    %10 = flow.tensor.empty : tensor<2x8xf32>
    %11 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_0::@gru_block_cell_parameter_grad_dispatch_0_slow_memcpy(%9, %10) : (tensor<2x3xf32>, tensor<2x8xf32>) -> %10
    %12 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_1::@gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%8, %11) : (tensor<2x5xf32>, tensor<2x8xf32>) -> %11
    %13 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_2::@gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32(%12, %5) : (tensor<2x8xf32>, tensor<2x10xf32>) -> tensor<8x10xf32>
    %14 = flow.tensor.reshape %7 : tensor<2x5xf32> -> tensor<10xf32>
    %15 = flow.tensor.reshape %8 : tensor<2x5xf32> -> tensor<10xf32>
    %16 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_3::@gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32(%14, %15) : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %17 = flow.tensor.reshape %16 : tensor<10xf32> -> tensor<2x5xf32>
    %18 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_1::@gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%17, %11) : (tensor<2x5xf32>, tensor<2x8xf32>) -> %11
    %19 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_5::@gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32(%18, %6) : (tensor<2x8xf32>, tensor<2x5xf32>) -> tensor<8x5xf32>
    %20 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_6::@gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32(%5) : (tensor<2x10xf32>) -> tensor<10xf32>
    %21 = flow.dispatch @gru_block_cell_parameter_grad_dispatch_7::@gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32(%6) : (tensor<2x5xf32>) -> tensor<5xf32>
    %22 = hal.tensor.export %13 "output0" : tensor<8x10xf32> -> !hal.buffer_view
    %23 = hal.tensor.export %19 "output1" : tensor<8x5xf32> -> !hal.buffer_view
    %24 = hal.tensor.export %20 "output2" : tensor<10xf32> -> !hal.buffer_view
    %25 = hal.tensor.export %21 "output3" : tensor<5xf32> -> !hal.buffer_view
    util.return %22, %23, %24, %25 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  flow.executable private @onnx_lstm_prepack_dispatch_0 {
    flow.executable.export public @onnx_lstm_prepack_dispatch_0_elementwise_20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>) {
        %0 = tensor.empty() : tensor<20xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 20], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %3 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%2, %1 : tensor<20xf32>, tensor<20xf32>) outs(%0 : tensor<20xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %4 = arith.addf %in, %in_0 : f32
          linalg.yield %4 : f32
        } -> tensor<20xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepack_dispatch_1 {
    flow.executable.export public @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>) {
        %0 = tensor.empty() : tensor<5x20xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [1, 20, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>> -> tensor<20x5xf32>
        %2 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<20x5xf32>) outs(%0 : tensor<5x20xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<5x20xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : tensor<5x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepack_dispatch_2 {
    flow.executable.export public @onnx_lstm_prepack_dispatch_2_elementwise_20_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>) {
        %0 = tensor.empty() : tensor<20xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [1, 20], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [1, 0], sizes = [1, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x40xf32>> -> tensor<20xf32>
        %3 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%2, %1 : tensor<20xf32>, tensor<20xf32>) outs(%0 : tensor<20xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %4 = arith.addf %in, %in_0 : f32
          linalg.yield %4 : f32
        } -> tensor<20xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [20], strides = [1] : tensor<20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<20xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepack_dispatch_3 {
    flow.executable.export public @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>) {
        %0 = tensor.empty() : tensor<5x20xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [1, 0, 0], sizes = [1, 20, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x5xf32>> -> tensor<20x5xf32>
        %2 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<20x5xf32>) outs(%0 : tensor<5x20xf32>) {
        ^bb0(%in: f32, %out: f32):
          linalg.yield %in : f32
        } -> tensor<5x20xf32>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : tensor<5x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x20xf32>>
        return
      }
    }
  }
  util.func public @onnx_lstm_prepack(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_lstm_prepack(%input0: tensor<2x20x3xf32>, %input1: tensor<2x20x5xf32>, %input2: tensor<2x40xf32>, %input3: tensor<2x15xf32>) -> (%output0: tensor<20xf32>, %output1: tensor<5x20xf32>, %output2: tensor<20xf32>, %output3: tensor<5x20xf32>)"}} {
    %0 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x20x5xf32>
    %1 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x40xf32>
    %2 = util.optimization_barrier %1 : tensor<2x40xf32>
    %3 = util.optimization_barrier %0 : tensor<2x20x5xf32>
    %4 = flow.dispatch @onnx_lstm_prepack_dispatch_0::@onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%2) : (tensor<2x40xf32>) -> tensor<20xf32>
    %5 = flow.tensor.clone %4 : tensor<20xf32>
    %6 = flow.dispatch @onnx_lstm_prepack_dispatch_1::@onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%3) : (tensor<2x20x5xf32>) -> tensor<5x20xf32>
    %7 = flow.tensor.clone %6 : tensor<5x20xf32>
    %8 = flow.dispatch @onnx_lstm_prepack_dispatch_2::@onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%2) : (tensor<2x40xf32>) -> tensor<20xf32>
    %9 = flow.tensor.clone %8 : tensor<20xf32>
    %10 = flow.dispatch @onnx_lstm_prepack_dispatch_3::@onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%3) : (tensor<2x20x5xf32>) -> tensor<5x20xf32>
    %11 = flow.tensor.clone %10 : tensor<5x20xf32>
    %12 = hal.tensor.export %5 "output0" : tensor<20xf32> -> !hal.buffer_view
    %13 = hal.tensor.export %7 "output1" : tensor<5x20xf32> -> !hal.buffer_view
    %14 = hal.tensor.export %9 "output2" : tensor<20xf32> -> !hal.buffer_view
    %15 = hal.tensor.export %11 "output3" : tensor<5x20xf32> -> !hal.buffer_view
    util.return %12, %13, %14, %15 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_0 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_0_reduction_2_i32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_0_reduction_2_i32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i32>>) {
        %c0_i32 = arith.constant 0 : i32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = tensor.empty() : tensor<i32>
        %2 = linalg.fill ins(%c0_i32 : i32) outs(%1 : tensor<i32>) -> tensor<i32>
        %3 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["reduction"]} ins(%0 : tensor<2xi32>) outs(%2 : tensor<i32>) {
        ^bb0(%in: i32, %out: i32):
          %4 = arith.maxsi %out, %in : i32
          linalg.yield %4 : i32
        } -> tensor<i32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [], sizes = [], strides = [] : tensor<i32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_1 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_1_elementwise workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      flow.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_1_elementwise(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<i32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>) {
        %c0_i32 = arith.constant 0 : i32
        %c4_i32 = arith.constant 4 : i32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i32>> -> tensor<i32>
        %1 = tensor.empty() : tensor<i64>
        %2 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%0 : tensor<i32>) outs(%1 : tensor<i64>) {
        ^bb0(%in: i32, %out: i64):
          %3 = arith.maxsi %in, %c0_i32 : i32
          %4 = arith.minui %3, %c4_i32 : i32
          %5 = arith.extsi %4 : i32 to i64
          linalg.yield %5 : i64
        } -> tensor<i64>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [], sizes = [], strides = [] : tensor<i64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<i64>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_2 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>) {
        %c0_i32 = arith.constant 0 : i32
        %c4_i32 = arith.constant 4 : i32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = tensor.empty() : tensor<2xi64>
        %2 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%1 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %3 = arith.maxsi %in, %c0_i32 : i32
          %4 = arith.minui %3, %c4_i32 : i32
          %5 = arith.extsi %4 : i32 to i64
          linalg.yield %5 : i64
        } -> tensor<2xi64>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [0], sizes = [2], strides = [1] : tensor<2xi64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_3 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>> -> tensor<8x3xf32>
        %1 = tensor.empty() : tensor<8x20xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [1, 20, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>> -> tensor<20x3xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x20xf32>) -> tensor<8x20xf32>
        %4 = linalg.matmul indexing_maps = [#map5, #map6, #map7] ins(%0, %2 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%3 : tensor<8x20xf32>) -> tensor<8x20xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : tensor<8x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_4 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>> -> tensor<8x3xf32>
        %1 = tensor.empty() : tensor<8x20xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [1, 0, 0], sizes = [1, 20, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x20x3xf32>> -> tensor<20x3xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x20xf32>) -> tensor<8x20xf32>
        %4 = linalg.matmul indexing_maps = [#map5, #map6, #map7] ins(%0, %2 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%3 : tensor<8x20xf32>) -> tensor<8x20xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 20], strides = [1, 1] : tensor<8x20xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x20xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_5 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_5_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_5_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_lstm_prepacked_dispatch_6 {
    flow.executable.export public @onnx_lstm_prepacked_dispatch_6_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_prepacked_dispatch_6_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 1, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x2x5xf32>>
        return
      }
    }
  }
  util.func public @onnx_lstm_prepacked(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.fence, %arg13: !hal.fence) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "async func @onnx_lstm_prepacked(%input0: tensor<4x2x3xf32>, %input1: tensor<2x20x3xf32>, %input2: tensor<2x20x5xf32>, %input3: tensor<2x40xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<2x2x5xf32>, %input7: tensor<2x15xf32>, %input8: tensor<20xf32>, %input9: tensor<5x20xf32>, %input10: tensor<20xf32>, %input11: tensor<5x20xf32>) -> (%output0: tensor<4x2x2x5xf32>, %output1: tensor<2x2x5xf32>, %output2: tensor<2x2x5xf32>)", iree.abi.model = "coarse-fences"}} {
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = hal.tensor.import wait(%arg12) => %arg0 "input0" : !hal.buffer_view -> tensor<4x2x3xf32>
    %1 = hal.tensor.import wait(%arg12) => %arg1 "input1" : !hal.buffer_view -> tensor<2x20x3xf32>
    %2 = hal.tensor.import wait(%arg12) => %arg4 "input4" : !hal.buffer_view -> tensor<2xi32>
    %3 = hal.tensor.import wait(%arg12) => %arg5 "input5" : !hal.buffer_view -> tensor<2x2x5xf32>
    %4 = hal.tensor.import wait(%arg12) => %arg6 "input6" : !hal.buffer_view -> tensor<2x2x5xf32>
    %5 = hal.tensor.import wait(%arg12) => %arg7 "input7" : !hal.buffer_view -> tensor<2x15xf32>
    %6 = hal.tensor.import wait(%arg12) => %arg8 "input8" : !hal.buffer_view -> tensor<20xf32>
    %7 = hal.tensor.import wait(%arg12) => %arg9 "input9" : !hal.buffer_view -> tensor<5x20xf32>
    %8 = hal.tensor.import wait(%arg12) => %arg10 "input10" : !hal.buffer_view -> tensor<20xf32>
    %9 = hal.tensor.import wait(%arg12) => %arg11 "input11" : !hal.buffer_view -> tensor<5x20xf32>
    %10 = util.optimization_barrier %5 : tensor<2x15xf32>
    %11 = util.optimization_barrier %4 : tensor<2x2x5xf32>
    %12 = util.optimization_barrier %3 : tensor<2x2x5xf32>
    %13 = util.optimization_barrier %2 : tensor<2xi32>
    %14 = util.optimization_barrier %1 : tensor<2x20x3xf32>
    %15 = util.optimization_barrier %0 : tensor<4x2x3xf32>
    %16 = flow.dispatch @onnx_lstm_prepacked_dispatch_0::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32(%13) : (tensor<2xi32>) -> tensor<i32>
    %17 = flow.dispatch @onnx_lstm_prepacked_dispatch_1::@onnx_lstm_prepacked_dispatch_1_elementwise(%16) : (tensor<i32>) -> tensor<i64>
    %18 = flow.dispatch @onnx_lstm_prepacked_dispatch_2::@onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64(%13) : (tensor<2xi32>) -> tensor<2xi64>
    %19 = flow.tensor.reshape %15 : tensor<4x2x3xf32> -> tensor<8x3xf32>
    %20 = flow.dispatch @onnx_lstm_prepacked_dispatch_3::@onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32(%14, %19) : (tensor<2x20x3xf32>, tensor<8x3xf32>) -> tensor<8x20xf32>
    %21 = flow.tensor.reshape %20 : tensor<8x20xf32> -> tensor<4x2x20xf32>
    %22 = flow.tensor.slice %10[%c0, %c0 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %23 = flow.tensor.reshape %22 : tensor<1x5xf32> -> tensor<5xf32>
    %24 = flow.tensor.slice %10[%c0, %c5 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %25 = flow.tensor.reshape %24 : tensor<1x5xf32> -> tensor<5xf32>
    %26 = flow.tensor.slice %10[%c0, %c10 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %27 = flow.tensor.reshape %26 : tensor<1x5xf32> -> tensor<5xf32>
    %28 = flow.tensor.slice %12[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %29 = flow.tensor.reshape %28 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %30 = flow.tensor.slice %11[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %31 = flow.tensor.reshape %30 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %32 = flow.tensor.clone %21 : tensor<4x2x20xf32>
    %33 = flow.tensor.clone %23 : tensor<5xf32>
    %34 = flow.tensor.clone %25 : tensor<5xf32>
    %35 = flow.tensor.clone %27 : tensor<5xf32>
    %36 = flow.tensor.clone %18 : tensor<2xi64>
    %37 = flow.tensor.clone %6 : tensor<20xf32>
    %38 = flow.tensor.clone %29 : tensor<2x5xf32>
    %39 = flow.tensor.clone %31 : tensor<2x5xf32>
    %40 = flow.tensor.clone %7 : tensor<5x20xf32>
    %41 = flow.tensor.clone %38 : tensor<2x5xf32>
    %42 = flow.tensor.clone %39 : tensor<2x5xf32>
    %43:3 = flow.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%17, %32, %33, %34, %35, %36, %37, %40, %41, %42) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %44 = flow.tensor.slice %43#1[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %45 = flow.tensor.slice %43#2[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %46 = flow.dispatch @onnx_lstm_prepacked_dispatch_4::@onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%14, %19) : (tensor<2x20x3xf32>, tensor<8x3xf32>) -> tensor<8x20xf32>
    %47 = flow.tensor.reshape %46 : tensor<8x20xf32> -> tensor<4x2x20xf32>
    %48 = flow.tensor.slice %10[%c1, %c0 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %49 = flow.tensor.reshape %48 : tensor<1x5xf32> -> tensor<5xf32>
    %50 = flow.tensor.slice %10[%c1, %c5 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %51 = flow.tensor.reshape %50 : tensor<1x5xf32> -> tensor<5xf32>
    %52 = flow.tensor.slice %10[%c1, %c10 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %53 = flow.tensor.reshape %52 : tensor<1x5xf32> -> tensor<5xf32>
    %54 = flow.tensor.slice %12[%c1, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %55 = flow.tensor.reshape %54 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %56 = flow.tensor.slice %11[%c1, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %57 = flow.tensor.reshape %56 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %58 = flow.tensor.clone %47 : tensor<4x2x20xf32>
    %59 = flow.tensor.clone %49 : tensor<5xf32>
    %60 = flow.tensor.clone %51 : tensor<5xf32>
    %61 = flow.tensor.clone %53 : tensor<5xf32>
    %62 = flow.tensor.clone %8 : tensor<20xf32>
    %63 = flow.tensor.clone %55 : tensor<2x5xf32>
    %64 = flow.tensor.clone %57 : tensor<2x5xf32>
    %65 = flow.tensor.clone %9 : tensor<5x20xf32>
    %66 = flow.tensor.clone %63 : tensor<2x5xf32>
    %67 = flow.tensor.clone %64 : tensor<2x5xf32>
    %68:3 = flow.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%17, %58, %59, %60, %61, %36, %62, %65, %66, %67) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %69 = flow.tensor.slice %68#1[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %70 = flow.tensor.slice %68#2[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %71 = flow.tensor.empty : tensor<4x2x2x5xf32>
    %72 = flow.dispatch @onnx_lstm_prepacked_dispatch_5::@onnx_lstm_prepacked_dispatch_5_slow_memcpy(%43#0, %71) : (tensor<4x2x5xf32>, tensor<4x2x2x5xf32>) -> %71
    %73 = flow.dispatch @onnx_lstm_prepacked_dispatch_6::@onnx_lstm_prepacked_dispatch_6_slow_memcpy(%68#0, %72) : (tensor<4x2x5xf32>, tensor<4x2x2x5xf32>) -> %72
    %74 = flow.tensor.empty : tensor<2x2x5xf32>
    %75 = flow.tensor.update %44, %74[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %74 as tensor<2x2x5xf32>
    %76 = flow.tensor.update %69, %75[%c1, %c0, %c0] : tensor<1x2x5xf32> -> %75 as tensor<2x2x5xf32>
    %77 = flow.tensor.update %45, %74[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %74 as tensor<2x2x5xf32>
    %78 = flow.tensor.update %70, %77[%c1, %c0, %c0] : tensor<1x2x5xf32> -> %77 as tensor<2x2x5xf32>
    %79:3 = hal.tensor.barrier join(%73, %76, %78 : tensor<4x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) => %arg13 : !hal.fence
    %80 = hal.tensor.export %79#0 "output0" : tensor<4x2x2x5xf32> -> !hal.buffer_view
    %81 = hal.tensor.export %79#1 "output1" : tensor<2x2x5xf32> -> !hal.buffer_view
    %82 = hal.tensor.export %79#2 "output2" : tensor<2x2x5xf32> -> !hal.buffer_view
    util.return %80, %81, %82 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  util.func public @onnx_lstm(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_lstm(%input0: tensor<4x2x3xf32>, %input1: tensor<2x20x3xf32>, %input2: tensor<2x20x5xf32>, %input3: tensor<2x40xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<2x2x5xf32>, %input7: tensor<2x15xf32>) -> (%output0: tensor<4x2x2x5xf32>, %output1: tensor<2x2x5xf32>, %output2: tensor<2x2x5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,20,3], R: float32[2,20,5], B: float32[2,40], sequence_lens: int32[2], initial_h: float32[2,2,5], initial_c: float32[2,2,5], P: float32[2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22HardSigmoid Softsign Elu Sigmoid ScaledTanh Softplus\22, \22activation_alpha\22: \220.3 1.2 0.8\22, \22activation_beta\22: \220.4 0.9\22, \22clip\22: 2.5, \22hidden_size\22: 0, \22layout\22: 0, \22input_forget\22: 0, \22inputs\22: \22B sequence_lens initial_h initial_c P\22, \22is_training\22: false}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.LSTM", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "Y: float32[4,2,2,5], Y_h: float32[2,2,5], Y_c: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c2 = arith.constant 2 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<4x2x3xf32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x20x3xf32>
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x20x5xf32>
    %3 = hal.tensor.import %arg3 "input3" : !hal.buffer_view -> tensor<2x40xf32>
    %4 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<2xi32>
    %5 = hal.tensor.import %arg5 "input5" : !hal.buffer_view -> tensor<2x2x5xf32>
    %6 = hal.tensor.import %arg6 "input6" : !hal.buffer_view -> tensor<2x2x5xf32>
    %7 = hal.tensor.import %arg7 "input7" : !hal.buffer_view -> tensor<2x15xf32>
    %8 = util.optimization_barrier %7 : tensor<2x15xf32>
    %9 = util.optimization_barrier %6 : tensor<2x2x5xf32>
    %10 = util.optimization_barrier %5 : tensor<2x2x5xf32>
    %11 = util.optimization_barrier %4 : tensor<2xi32>
    %12 = util.optimization_barrier %3 : tensor<2x40xf32>
    %13 = util.optimization_barrier %2 : tensor<2x20x5xf32>
    %14 = util.optimization_barrier %1 : tensor<2x20x3xf32>
    %15 = util.optimization_barrier %0 : tensor<4x2x3xf32>
    %16 = flow.dispatch @onnx_lstm_prepacked_dispatch_0::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32(%11) : (tensor<2xi32>) -> tensor<i32>
    %17 = flow.dispatch @onnx_lstm_prepacked_dispatch_1::@onnx_lstm_prepacked_dispatch_1_elementwise(%16) : (tensor<i32>) -> tensor<i64>
    %18 = flow.dispatch @onnx_lstm_prepacked_dispatch_2::@onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64(%11) : (tensor<2xi32>) -> tensor<2xi64>
    %19 = flow.tensor.reshape %15 : tensor<4x2x3xf32> -> tensor<8x3xf32>
    %20 = flow.dispatch @onnx_lstm_prepacked_dispatch_3::@onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32(%14, %19) : (tensor<2x20x3xf32>, tensor<8x3xf32>) -> tensor<8x20xf32>
    %21 = flow.tensor.reshape %20 : tensor<8x20xf32> -> tensor<4x2x20xf32>
    %22 = flow.dispatch @onnx_lstm_prepack_dispatch_0::@onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%12) : (tensor<2x40xf32>) -> tensor<20xf32>
    %23 = flow.tensor.slice %8[%c0, %c0 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %24 = flow.tensor.reshape %23 : tensor<1x5xf32> -> tensor<5xf32>
    %25 = flow.tensor.slice %8[%c0, %c5 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %26 = flow.tensor.reshape %25 : tensor<1x5xf32> -> tensor<5xf32>
    %27 = flow.tensor.slice %8[%c0, %c10 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %28 = flow.tensor.reshape %27 : tensor<1x5xf32> -> tensor<5xf32>
    %29 = flow.tensor.slice %10[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %30 = flow.tensor.reshape %29 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %31 = flow.tensor.slice %9[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %32 = flow.tensor.reshape %31 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %33 = flow.tensor.clone %21 : tensor<4x2x20xf32>
    %34 = flow.tensor.clone %24 : tensor<5xf32>
    %35 = flow.tensor.clone %26 : tensor<5xf32>
    %36 = flow.tensor.clone %28 : tensor<5xf32>
    %37 = flow.tensor.clone %18 : tensor<2xi64>
    %38 = flow.tensor.clone %22 : tensor<20xf32>
    %39 = flow.tensor.clone %30 : tensor<2x5xf32>
    %40 = flow.tensor.clone %32 : tensor<2x5xf32>
    %41 = flow.dispatch @onnx_lstm_prepack_dispatch_1::@onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%13) : (tensor<2x20x5xf32>) -> tensor<5x20xf32>
    %42 = flow.tensor.clone %41 : tensor<5x20xf32>
    %43 = flow.tensor.clone %39 : tensor<2x5xf32>
    %44 = flow.tensor.clone %40 : tensor<2x5xf32>
    %45:3 = flow.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%17, %33, %34, %35, %36, %37, %38, %42, %43, %44) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %46 = flow.tensor.slice %45#1[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %47 = flow.tensor.slice %45#2[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %48 = flow.dispatch @onnx_lstm_prepacked_dispatch_4::@onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%14, %19) : (tensor<2x20x3xf32>, tensor<8x3xf32>) -> tensor<8x20xf32>
    %49 = flow.tensor.reshape %48 : tensor<8x20xf32> -> tensor<4x2x20xf32>
    %50 = flow.dispatch @onnx_lstm_prepack_dispatch_2::@onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%12) : (tensor<2x40xf32>) -> tensor<20xf32>
    %51 = flow.tensor.slice %8[%c1, %c0 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %52 = flow.tensor.reshape %51 : tensor<1x5xf32> -> tensor<5xf32>
    %53 = flow.tensor.slice %8[%c1, %c5 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %54 = flow.tensor.reshape %53 : tensor<1x5xf32> -> tensor<5xf32>
    %55 = flow.tensor.slice %8[%c1, %c10 for %c1, %c5] : tensor<2x15xf32> -> tensor<1x5xf32>
    %56 = flow.tensor.reshape %55 : tensor<1x5xf32> -> tensor<5xf32>
    %57 = flow.tensor.slice %10[%c1, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %58 = flow.tensor.reshape %57 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %59 = flow.tensor.slice %9[%c1, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %60 = flow.tensor.reshape %59 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %61 = flow.tensor.clone %49 : tensor<4x2x20xf32>
    %62 = flow.tensor.clone %52 : tensor<5xf32>
    %63 = flow.tensor.clone %54 : tensor<5xf32>
    %64 = flow.tensor.clone %56 : tensor<5xf32>
    %65 = flow.tensor.clone %50 : tensor<20xf32>
    %66 = flow.tensor.clone %58 : tensor<2x5xf32>
    %67 = flow.tensor.clone %60 : tensor<2x5xf32>
    %68 = flow.dispatch @onnx_lstm_prepack_dispatch_3::@onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%13) : (tensor<2x20x5xf32>) -> tensor<5x20xf32>
    %69 = flow.tensor.clone %68 : tensor<5x20xf32>
    %70 = flow.tensor.clone %66 : tensor<2x5xf32>
    %71 = flow.tensor.clone %67 : tensor<2x5xf32>
    %72:3 = flow.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%17, %61, %62, %63, %64, %37, %65, %69, %70, %71) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %73 = flow.tensor.slice %72#1[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %74 = flow.tensor.slice %72#2[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %75 = flow.tensor.empty : tensor<4x2x2x5xf32>
    %76 = flow.dispatch @onnx_lstm_prepacked_dispatch_5::@onnx_lstm_prepacked_dispatch_5_slow_memcpy(%45#0, %75) : (tensor<4x2x5xf32>, tensor<4x2x2x5xf32>) -> %75
    %77 = flow.dispatch @onnx_lstm_prepacked_dispatch_6::@onnx_lstm_prepacked_dispatch_6_slow_memcpy(%72#0, %76) : (tensor<4x2x5xf32>, tensor<4x2x2x5xf32>) -> %76
    %78 = flow.tensor.empty : tensor<2x2x5xf32>
    %79 = flow.tensor.update %46, %78[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %78 as tensor<2x2x5xf32>
    %80 = flow.tensor.update %73, %79[%c1, %c0, %c0] : tensor<1x2x5xf32> -> %79 as tensor<2x2x5xf32>
    %81 = flow.tensor.update %47, %78[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %78 as tensor<2x2x5xf32>
    %82 = flow.tensor.update %74, %81[%c1, %c0, %c0] : tensor<1x2x5xf32> -> %81 as tensor<2x2x5xf32>
    %83 = hal.tensor.export %77 "output0" : tensor<4x2x2x5xf32> -> !hal.buffer_view
    %84 = hal.tensor.export %80 "output1" : tensor<2x2x5xf32> -> !hal.buffer_view
    %85 = hal.tensor.export %82 "output2" : tensor<2x2x5xf32> -> !hal.buffer_view
    util.return %83, %84, %85 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @onnx_lstm_lstm_forward_loop {
    stream.executable.export public @onnx_lstm_lstm_forward_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_lstm_lstm_forward_loop(%arg0: !stream.binding, %arg1: !stream.binding, %arg2: !stream.binding, %arg3: !stream.binding, %arg4: !stream.binding, %arg5: !stream.binding, %arg6: !stream.binding, %arg7: !stream.binding, %arg8: !stream.binding, %arg9: !stream.binding, %arg10: !stream.binding, %arg11: !stream.binding, %arg12: !stream.binding) attributes {translation_info = #translation} {
        %c4 = arith.constant 4 : index
        %cst = arith.constant dense<1.200000e+00> : vector<5xf32>
        %c10 = arith.constant 10 : index
        %c15 = arith.constant 15 : index
        %cst_0 = arith.constant dense<1.000000e+00> : vector<5xf32>
        %cst_1 = arith.constant dense<4.000000e-01> : vector<5xf32>
        %cst_2 = arith.constant dense<3.000000e-01> : vector<5xf32>
        %cst_3 = arith.constant dense<2.500000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %cst_4 = arith.constant dense<-2.500000e+00> : vector<5xf32>
        %cst_5 = arith.constant dense<0.000000e+00> : vector<5xf32>
        %cst_6 = arith.constant 0.000000e+00 : f32
        %c3_i64 = arith.constant 3 : i64
        %c2 = arith.constant 2 : index
        %c1 = arith.constant 1 : index
        %c4_i64 = arith.constant 4 : i64
        %c0_i64 = arith.constant 0 : i64
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>> -> tensor<4x2x20xf32>
        %4 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %6 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %8 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %10 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %12 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0], sizes = [20], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>> -> tensor<20xf32>
        %14 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>> -> tensor<5x20xf32>
        %16 = stream.binding.subspan %arg8[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %18 = stream.binding.subspan %arg9[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %20 = stream.binding.subspan %arg10[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %22 = stream.binding.subspan %arg11[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %24 = stream.binding.subspan %arg12[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %26 = arith.maxsi %extracted, %c0_i64 : i64
        %27 = arith.minsi %26, %c4_i64 : i64
        %28 = arith.index_cast %27 : i64 to index
        %29 = arith.remui %28, %c2 : index
        %inserted_slice = tensor.insert_slice %17 into %23[%29, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_7 = tensor.insert_slice %19 into %25[%29, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %30:3 = scf.for %arg13 = %c0 to %28 step %c1 iter_args(%arg14 = %21, %arg15 = %inserted_slice, %arg16 = %inserted_slice_7) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %33 = arith.index_cast %arg13 : index to i64
          %34 = arith.subi %28, %arg13 : index
          %35 = arith.remui %34, %c2 : index
          %36 = arith.subi %c1, %35 : index
          %37 = arith.maxsi %33, %c0_i64 : i64
          %38 = arith.minsi %37, %c3_i64 : i64
          %39 = arith.index_cast %38 : i64 to index
          %extracted_slice = tensor.extract_slice %arg15[%35, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %40 = tensor.empty() : tensor<2x20xf32>
          %41 = linalg.fill {lowering_config = #config3} ins(%cst_6 : f32) outs(%40 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %42 = linalg.matmul {lowering_config = #config4} ins(%extracted_slice, %15 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%41 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %43:3 = scf.for %arg17 = %c0 to %c2 step %c1 iter_args(%arg18 = %arg14, %arg19 = %arg15, %arg20 = %arg16) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %extracted_8 = tensor.extract %11[%arg17] : tensor<2xi64>
            %44 = vector.broadcast %extracted_8 : i64 to vector<5xi64>
            %45 = vector.broadcast %33 : i64 to vector<5xi64>
            %46 = arith.cmpi sgt, %44, %45 : vector<5xi64>
            %47 = arith.maxsi %33, %c0_i64 : i64
            %48 = arith.minsi %47, %c3_i64 : i64
            %49 = arith.index_cast %48 : i64 to index
            %50 = vector.transfer_read %3[%49, %arg17, %c5], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %51 = vector.transfer_read %13[%c5], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %52 = arith.addf %50, %51 : vector<5xf32>
            %53 = vector.transfer_read %42[%arg17, %c5], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %54 = arith.addf %52, %53 : vector<5xf32>
            %55 = arith.maxsi %33, %c0_i64 : i64
            %56 = arith.minsi %55, %c3_i64 : i64
            %57 = arith.index_cast %56 : i64 to index
            %58 = vector.transfer_read %3[%57, %arg17, %c0], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %59 = vector.transfer_read %13[%c0], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %60 = arith.addf %58, %59 : vector<5xf32>
            %61 = vector.transfer_read %42[%arg17, %c0], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %62 = arith.addf %60, %61 : vector<5xf32>
            %63 = vector.transfer_read %arg20[%35, %arg17, %c0], %cst_6 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %64 = vector.transfer_read %5[%c0], %cst_6 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %65 = arith.mulf %63, %64 : vector<5xf32>
            %66 = arith.addf %62, %65 : vector<5xf32>
            %67 = arith.maximumf %66, %cst_4 : vector<5xf32>
            %68 = arith.minimumf %67, %cst_3 : vector<5xf32>
            %69 = arith.mulf %68, %cst_2 : vector<5xf32>
            %70 = arith.addf %69, %cst_1 : vector<5xf32>
            %71 = arith.maximumf %70, %cst_5 : vector<5xf32>
            %72 = arith.minimumf %71, %cst_0 : vector<5xf32>
            %73 = arith.maxsi %33, %c0_i64 : i64
            %74 = arith.minsi %73, %c3_i64 : i64
            %75 = arith.index_cast %74 : i64 to index
            %76 = vector.transfer_read %3[%75, %arg17, %c15], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %77 = vector.transfer_read %13[%c15], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %78 = arith.addf %76, %77 : vector<5xf32>
            %79 = vector.transfer_read %42[%arg17, %c15], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %80 = arith.addf %78, %79 : vector<5xf32>
            %81 = arith.maximumf %80, %cst_4 : vector<5xf32>
            %82 = arith.minimumf %81, %cst_3 : vector<5xf32>
            %83 = math.absf %82 : vector<5xf32>
            %84 = arith.addf %83, %cst_0 : vector<5xf32>
            %85 = arith.divf %82, %84 : vector<5xf32>
            %86 = arith.mulf %72, %85 : vector<5xf32>
            %87 = arith.maxsi %33, %c0_i64 : i64
            %88 = arith.minsi %87, %c3_i64 : i64
            %89 = arith.index_cast %88 : i64 to index
            %90 = vector.transfer_read %3[%89, %arg17, %c10], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %91 = vector.transfer_read %13[%c10], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %92 = arith.addf %90, %91 : vector<5xf32>
            %93 = vector.transfer_read %42[%arg17, %c10], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %94 = arith.addf %92, %93 : vector<5xf32>
            %95 = vector.transfer_read %9[%c0], %cst_6 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %96 = arith.mulf %63, %95 : vector<5xf32>
            %97 = arith.addf %94, %96 : vector<5xf32>
            %98 = arith.maximumf %97, %cst_4 : vector<5xf32>
            %99 = arith.minimumf %98, %cst_3 : vector<5xf32>
            %100 = arith.mulf %99, %cst_2 : vector<5xf32>
            %101 = arith.addf %100, %cst_1 : vector<5xf32>
            %102 = arith.maximumf %101, %cst_5 : vector<5xf32>
            %103 = arith.minimumf %102, %cst_0 : vector<5xf32>
            %104 = arith.mulf %103, %63 : vector<5xf32>
            %105 = arith.addf %86, %104 : vector<5xf32>
            %106 = vector.transfer_read %7[%c0], %cst_6 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %107 = arith.mulf %105, %106 : vector<5xf32>
            %108 = arith.addf %54, %107 : vector<5xf32>
            %109 = arith.maximumf %108, %cst_4 : vector<5xf32>
            %110 = arith.minimumf %109, %cst_3 : vector<5xf32>
            %111 = arith.mulf %110, %cst_2 : vector<5xf32>
            %112 = arith.addf %111, %cst_1 : vector<5xf32>
            %113 = arith.maximumf %112, %cst_5 : vector<5xf32>
            %114 = arith.minimumf %113, %cst_0 : vector<5xf32>
            %115 = arith.cmpf oge, %105, %cst_5 : vector<5xf32>
            %116 = arith.minimumf %105, %cst_5 : vector<5xf32>
            %117 = math.exp %116 : vector<5xf32>
            %118 = arith.subf %117, %cst_0 : vector<5xf32>
            %119 = arith.mulf %118, %cst : vector<5xf32>
            %120 = arith.select %115, %105, %119 : vector<5xi1>, vector<5xf32>
            %121 = arith.mulf %114, %120 : vector<5xf32>
            %122 = arith.select %46, %121, %cst_5 : vector<5xi1>, vector<5xf32>
            %123 = vector.transfer_read %arg19[%35, %arg17, %c0], %cst_6 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %124 = arith.select %46, %121, %123 : vector<5xi1>, vector<5xf32>
            %125 = arith.select %46, %105, %63 : vector<5xi1>, vector<5xf32>
            %126 = vector.transfer_write %122, %arg18[%39, %arg17, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x5xf32>
            %127 = vector.transfer_write %124, %arg19[%36, %arg17, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            %128 = vector.transfer_write %125, %arg20[%36, %arg17, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %126, %127, %128 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          scf.yield %43#0, %43#1, %43#2 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %31 = arith.addi %28, %workgroup_id_0 : index
        %32 = scf.for %arg13 = %31 to %c4 step %c1 iter_args(%arg14 = %30#0) -> (tensor<4x2x5xf32>) {
          %extracted_slice = tensor.extract_slice %arg14[%arg13, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<2x5xf32>
          %33 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x5xf32>) attrs =  {lowering_config = #config5} {
          ^bb0(%out: f32):
            linalg.yield %cst_6 : f32
          } -> tensor<2x5xf32>
          %inserted_slice_8 = tensor.insert_slice %33 into %arg14[%arg13, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
          scf.yield %inserted_slice_8 : tensor<4x2x5xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %32, %20, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %30#1, %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %30#2, %24, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
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
      func.func @onnx_lstm_lstm_forward_3_loop(%arg0: !stream.binding, %arg1: !stream.binding, %arg2: !stream.binding, %arg3: !stream.binding, %arg4: !stream.binding, %arg5: !stream.binding, %arg6: !stream.binding, %arg7: !stream.binding, %arg8: !stream.binding, %arg9: !stream.binding, %arg10: !stream.binding, %arg11: !stream.binding, %arg12: !stream.binding) attributes {translation_info = #translation} {
        %c4 = arith.constant 4 : index
        %cst = arith.constant dense<0.000000e+00> : vector<5xf32>
        %c10 = arith.constant 10 : index
        %cst_0 = arith.constant dense<8.000000e-01> : vector<5xf32>
        %cst_1 = arith.constant dense<0.899999976> : vector<5xf32>
        %c15 = arith.constant 15 : index
        %cst_2 = arith.constant dense<23> : vector<5xi32>
        %cst_3 = arith.constant dense<2.500000e-01> : vector<5xf32>
        %cst_4 = arith.constant dense<0.49999994> : vector<5xf32>
        %cst_5 = arith.constant dense<0.166665211> : vector<5xf32>
        %cst_6 = arith.constant dense<0.0416683927> : vector<5xf32>
        %cst_7 = arith.constant dense<0.00836874638> : vector<5xf32>
        %cst_8 = arith.constant dense<0.00138145394> : vector<5xf32>
        %cst_9 = arith.constant dense<1.90465421E-9> : vector<5xf32>
        %cst_10 = arith.constant dense<-0.693147182> : vector<5xf32>
        %cst_11 = arith.constant dense<0x4B40007F> : vector<5xf32>
        %cst_12 = arith.constant dense<-1.44269502> : vector<5xf32>
        %cst_13 = arith.constant dense<6.400000e+01> : vector<5xf32>
        %cst_14 = arith.constant dense<-8.900000e+01> : vector<5xf32>
        %cst_15 = arith.constant dense<2.500000e+00> : vector<5xf32>
        %c5 = arith.constant 5 : index
        %cst_16 = arith.constant dense<-2.500000e+00> : vector<5xf32>
        %cst_17 = arith.constant 0.000000e+00 : f32
        %c3_i64 = arith.constant 3 : i64
        %c1_i64 = arith.constant 1 : i64
        %c2 = arith.constant 2 : index
        %c1 = arith.constant 1 : index
        %c4_i64 = arith.constant 4 : i64
        %c0_i64 = arith.constant 0 : i64
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 20], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x20xf32>> -> tensor<4x2x20xf32>
        %4 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %6 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %8 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [5], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5xf32>> -> tensor<5xf32>
        %10 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %12 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0], sizes = [20], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<20xf32>> -> tensor<20xf32>
        %14 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [5, 20], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x20xf32>> -> tensor<5x20xf32>
        %16 = stream.binding.subspan %arg8[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %18 = stream.binding.subspan %arg9[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %20 = stream.binding.subspan %arg10[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %22 = stream.binding.subspan %arg11[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %24 = stream.binding.subspan %arg12[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %26 = arith.maxsi %extracted, %c0_i64 : i64
        %27 = arith.minsi %26, %c4_i64 : i64
        %28 = arith.index_cast %27 : i64 to index
        %29 = arith.remui %28, %c2 : index
        %inserted_slice = tensor.insert_slice %17 into %23[%29, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_18 = tensor.insert_slice %19 into %25[%29, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %30:3 = scf.for %arg13 = %c0 to %28 step %c1 iter_args(%arg14 = %21, %arg15 = %inserted_slice, %arg16 = %inserted_slice_18) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %33 = arith.index_cast %arg13 : index to i64
          %34 = arith.subi %28, %arg13 : index
          %35 = arith.remui %34, %c2 : index
          %36 = arith.subi %c1, %35 : index
          %37 = arith.subi %extracted, %33 : i64
          %38 = arith.subi %37, %c1_i64 : i64
          %39 = arith.maxsi %38, %c0_i64 : i64
          %40 = arith.minsi %39, %c3_i64 : i64
          %41 = arith.index_cast %40 : i64 to index
          %extracted_slice = tensor.extract_slice %arg15[%35, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %42 = tensor.empty() : tensor<2x20xf32>
          %43 = linalg.fill {lowering_config = #config3} ins(%cst_17 : f32) outs(%42 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %44 = linalg.matmul {lowering_config = #config4} ins(%extracted_slice, %15 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%43 : tensor<2x20xf32>) -> tensor<2x20xf32>
          %45:3 = scf.for %arg17 = %c0 to %c2 step %c1 iter_args(%arg18 = %arg14, %arg19 = %arg15, %arg20 = %arg16) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %extracted_19 = tensor.extract %11[%arg17] : tensor<2xi64>
            %46 = vector.broadcast %extracted_19 : i64 to vector<5xi64>
            %47 = vector.broadcast %38 : i64 to vector<5xi64>
            %48 = arith.cmpi sgt, %46, %47 : vector<5xi64>
            %49 = arith.maxsi %38, %c0_i64 : i64
            %50 = arith.minsi %49, %c3_i64 : i64
            %51 = arith.index_cast %50 : i64 to index
            %52 = vector.transfer_read %3[%51, %arg17, %c5], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %53 = vector.transfer_read %13[%c5], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %54 = arith.addf %52, %53 : vector<5xf32>
            %55 = vector.transfer_read %44[%arg17, %c5], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %56 = arith.addf %54, %55 : vector<5xf32>
            %57 = arith.maxsi %38, %c0_i64 : i64
            %58 = arith.minsi %57, %c3_i64 : i64
            %59 = arith.index_cast %58 : i64 to index
            %60 = vector.transfer_read %3[%59, %arg17, %c0], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %61 = vector.transfer_read %13[%c0], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %62 = arith.addf %60, %61 : vector<5xf32>
            %63 = vector.transfer_read %44[%arg17, %c0], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %64 = arith.addf %62, %63 : vector<5xf32>
            %65 = vector.transfer_read %arg20[%35, %arg17, %c0], %cst_17 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %66 = vector.transfer_read %5[%c0], %cst_17 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %67 = arith.mulf %65, %66 : vector<5xf32>
            %68 = arith.addf %64, %67 : vector<5xf32>
            %69 = arith.maximumf %68, %cst_16 : vector<5xf32>
            %70 = arith.minimumf %69, %cst_15 : vector<5xf32>
            %71 = arith.cmpf ogt, %cst_14, %70 : vector<5xf32>
            %72 = arith.select %71, %cst_14, %70 : vector<5xi1>, vector<5xf32>
            %73 = arith.cmpf olt, %cst_13, %72 : vector<5xf32>
            %74 = arith.select %73, %cst_13, %72 : vector<5xi1>, vector<5xf32>
            %75 = math.fma %74, %cst_12, %cst_11 : vector<5xf32>
            %76 = arith.subf %75, %cst_11 : vector<5xf32>
            %77 = arith.negf %74 : vector<5xf32>
            %78 = math.fma %76, %cst_10, %77 : vector<5xf32>
            %79 = math.fma %76, %cst_9, %78 : vector<5xf32>
            %80 = math.fma %cst_8, %79, %cst_7 : vector<5xf32>
            %81 = math.fma %80, %79, %cst_6 : vector<5xf32>
            %82 = math.fma %81, %79, %cst_5 : vector<5xf32>
            %83 = math.fma %82, %79, %cst_4 : vector<5xf32>
            %84 = arith.mulf %79, %79 : vector<5xf32>
            %85 = math.fma %83, %84, %79 : vector<5xf32>
            %86 = math.fma %85, %cst_3, %cst_3 : vector<5xf32>
            %87 = arith.bitcast %75 : vector<5xf32> to vector<5xi32>
            %88 = arith.shli %87, %cst_2 : vector<5xi32>
            %89 = arith.bitcast %88 : vector<5xi32> to vector<5xf32>
            %90 = math.fma %86, %89, %cst_3 : vector<5xf32>
            %91 = arith.divf %cst_3, %90 : vector<5xf32>
            %92 = arith.maxsi %38, %c0_i64 : i64
            %93 = arith.minsi %92, %c3_i64 : i64
            %94 = arith.index_cast %93 : i64 to index
            %95 = vector.transfer_read %3[%94, %arg17, %c15], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %96 = vector.transfer_read %13[%c15], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %97 = arith.addf %95, %96 : vector<5xf32>
            %98 = vector.transfer_read %44[%arg17, %c15], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %99 = arith.addf %97, %98 : vector<5xf32>
            %100 = arith.maximumf %99, %cst_16 : vector<5xf32>
            %101 = arith.minimumf %100, %cst_15 : vector<5xf32>
            %102 = arith.mulf %101, %cst_1 : vector<5xf32>
            %103 = math.tanh %102 : vector<5xf32>
            %104 = arith.mulf %103, %cst_0 : vector<5xf32>
            %105 = arith.mulf %91, %104 : vector<5xf32>
            %106 = arith.maxsi %38, %c0_i64 : i64
            %107 = arith.minsi %106, %c3_i64 : i64
            %108 = arith.index_cast %107 : i64 to index
            %109 = vector.transfer_read %3[%108, %arg17, %c10], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
            %110 = vector.transfer_read %13[%c10], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
            %111 = arith.addf %109, %110 : vector<5xf32>
            %112 = vector.transfer_read %44[%arg17, %c10], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
            %113 = arith.addf %111, %112 : vector<5xf32>
            %114 = vector.transfer_read %9[%c0], %cst_17 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %115 = arith.mulf %65, %114 : vector<5xf32>
            %116 = arith.addf %113, %115 : vector<5xf32>
            %117 = arith.maximumf %116, %cst_16 : vector<5xf32>
            %118 = arith.minimumf %117, %cst_15 : vector<5xf32>
            %119 = arith.cmpf ogt, %cst_14, %118 : vector<5xf32>
            %120 = arith.select %119, %cst_14, %118 : vector<5xi1>, vector<5xf32>
            %121 = arith.cmpf olt, %cst_13, %120 : vector<5xf32>
            %122 = arith.select %121, %cst_13, %120 : vector<5xi1>, vector<5xf32>
            %123 = math.fma %122, %cst_12, %cst_11 : vector<5xf32>
            %124 = arith.subf %123, %cst_11 : vector<5xf32>
            %125 = arith.negf %122 : vector<5xf32>
            %126 = math.fma %124, %cst_10, %125 : vector<5xf32>
            %127 = math.fma %124, %cst_9, %126 : vector<5xf32>
            %128 = math.fma %cst_8, %127, %cst_7 : vector<5xf32>
            %129 = math.fma %128, %127, %cst_6 : vector<5xf32>
            %130 = math.fma %129, %127, %cst_5 : vector<5xf32>
            %131 = math.fma %130, %127, %cst_4 : vector<5xf32>
            %132 = arith.mulf %127, %127 : vector<5xf32>
            %133 = math.fma %131, %132, %127 : vector<5xf32>
            %134 = math.fma %133, %cst_3, %cst_3 : vector<5xf32>
            %135 = arith.bitcast %123 : vector<5xf32> to vector<5xi32>
            %136 = arith.shli %135, %cst_2 : vector<5xi32>
            %137 = arith.bitcast %136 : vector<5xi32> to vector<5xf32>
            %138 = math.fma %134, %137, %cst_3 : vector<5xf32>
            %139 = arith.divf %cst_3, %138 : vector<5xf32>
            %140 = arith.mulf %139, %65 : vector<5xf32>
            %141 = arith.addf %105, %140 : vector<5xf32>
            %142 = vector.transfer_read %7[%c0], %cst_17 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
            %143 = arith.mulf %141, %142 : vector<5xf32>
            %144 = arith.addf %56, %143 : vector<5xf32>
            %145 = arith.maximumf %144, %cst_16 : vector<5xf32>
            %146 = arith.minimumf %145, %cst_15 : vector<5xf32>
            %147 = arith.cmpf ogt, %cst_14, %146 : vector<5xf32>
            %148 = arith.select %147, %cst_14, %146 : vector<5xi1>, vector<5xf32>
            %149 = arith.cmpf olt, %cst_13, %148 : vector<5xf32>
            %150 = arith.select %149, %cst_13, %148 : vector<5xi1>, vector<5xf32>
            %151 = math.fma %150, %cst_12, %cst_11 : vector<5xf32>
            %152 = arith.subf %151, %cst_11 : vector<5xf32>
            %153 = arith.negf %150 : vector<5xf32>
            %154 = math.fma %152, %cst_10, %153 : vector<5xf32>
            %155 = math.fma %152, %cst_9, %154 : vector<5xf32>
            %156 = math.fma %cst_8, %155, %cst_7 : vector<5xf32>
            %157 = math.fma %156, %155, %cst_6 : vector<5xf32>
            %158 = math.fma %157, %155, %cst_5 : vector<5xf32>
            %159 = math.fma %158, %155, %cst_4 : vector<5xf32>
            %160 = arith.mulf %155, %155 : vector<5xf32>
            %161 = math.fma %159, %160, %155 : vector<5xf32>
            %162 = math.fma %161, %cst_3, %cst_3 : vector<5xf32>
            %163 = arith.bitcast %151 : vector<5xf32> to vector<5xi32>
            %164 = arith.shli %163, %cst_2 : vector<5xi32>
            %165 = arith.bitcast %164 : vector<5xi32> to vector<5xf32>
            %166 = math.fma %162, %165, %cst_3 : vector<5xf32>
            %167 = arith.divf %cst_3, %166 : vector<5xf32>
            %168 = arith.maximumf %141, %cst : vector<5xf32>
            %169 = math.absf %141 : vector<5xf32>
            %170 = arith.negf %169 : vector<5xf32>
            %171 = math.exp %170 : vector<5xf32>
            %172 = math.log1p %171 : vector<5xf32>
            %173 = arith.addf %168, %172 : vector<5xf32>
            %174 = arith.mulf %167, %173 : vector<5xf32>
            %175 = arith.select %48, %174, %cst : vector<5xi1>, vector<5xf32>
            %176 = vector.transfer_read %arg19[%35, %arg17, %c0], %cst_17 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %177 = arith.select %48, %174, %176 : vector<5xi1>, vector<5xf32>
            %178 = arith.select %48, %141, %65 : vector<5xi1>, vector<5xf32>
            %179 = vector.transfer_write %175, %arg18[%41, %arg17, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x5xf32>
            %180 = vector.transfer_write %177, %arg19[%36, %arg17, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            %181 = vector.transfer_write %178, %arg20[%36, %arg17, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %179, %180, %181 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          scf.yield %45#0, %45#1, %45#2 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %31 = arith.addi %28, %workgroup_id_0 : index
        %32 = scf.for %arg13 = %31 to %c4 step %c1 iter_args(%arg14 = %30#0) -> (tensor<4x2x5xf32>) {
          %extracted_slice = tensor.extract_slice %arg14[%arg13, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<2x5xf32>
          %33 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x5xf32>) attrs =  {lowering_config = #config5} {
          ^bb0(%out: f32):
            linalg.yield %cst_17 : f32
          } -> tensor<2x5xf32>
          %inserted_slice_19 = tensor.insert_slice %33 into %arg14[%arg13, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
          scf.yield %inserted_slice_19 : tensor<4x2x5xf32>
        }
        iree_tensor_ext.dispatch.tensor.store %32, %20, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %30#1, %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %30#2, %24, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : tensor<2x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_1 {
    flow.executable.export public @onnx_gru_grad_dispatch_1_elementwise_2_i32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_1_elementwise_2_i32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi32>>) {
        %c0_i32 = arith.constant 0 : i32
        %c4_i32 = arith.constant 4 : i32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = tensor.empty() : tensor<2xi32>
        %2 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%1 : tensor<2xi32>) {
        ^bb0(%in: i32, %out: i32):
          %3 = arith.maxsi %in, %c0_i32 : i32
          %4 = arith.minui %3, %c4_i32 : i32
          linalg.yield %4 : i32
        } -> tensor<2xi32>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [0], sizes = [2], strides = [1] : tensor<2xi32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_3 {
    flow.executable.export public @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = tensor.empty() : tensor<2xi64>
        %2 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%1 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %3 = arith.extsi %in : i32 to i64
          linalg.yield %3 : i64
        } -> tensor<2xi64>
        iree_tensor_ext.dispatch.tensor.store %2, %arg1, offsets = [0], sizes = [2], strides = [1] : tensor<2xi64> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2xi64>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_4 {
    flow.executable.export public @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        %2 = tensor.empty() : tensor<4x2x3xf32>
        %3 = tensor.empty() : tensor<2xi64>
        %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%3 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %6 = arith.extsi %in : i32 to i64
          linalg.yield %6 : i64
        } -> tensor<2xi64>
        %5 = linalg.generic {indexing_maps = [#map13, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %1 : tensor<2xi64>, tensor<4x2x3xf32>) outs(%2 : tensor<4x2x3xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %6 = linalg.index 0 : index
          %7 = arith.index_cast %6 : index to i64
          %8 = arith.cmpi slt, %7, %in : i64
          %9 = arith.select %8, %in_0, %cst : f32
          linalg.yield %9 : f32
        } -> tensor<4x2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %arg2, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : tensor<4x2x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_5 {
    flow.executable.export public @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = tensor.empty() : tensor<4x2x5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        %3 = tensor.empty() : tensor<2xi64>
        %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%3 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %6 = arith.extsi %in : i32 to i64
          linalg.yield %6 : i64
        } -> tensor<2xi64>
        %5 = linalg.generic {indexing_maps = [#map13, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %2 : tensor<2xi64>, tensor<4x2x5xf32>) outs(%1 : tensor<4x2x5xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %6 = linalg.index 0 : index
          %7 = arith.index_cast %6 : index to i64
          %8 = arith.cmpi slt, %7, %in : i64
          %9 = arith.select %8, %in_0, %cst : f32
          linalg.yield %9 : f32
        } -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %arg2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_6 {
    flow.executable.export public @onnx_gru_grad_dispatch_6_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_6_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_7 {
    flow.executable.export public @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = tensor.empty() : tensor<4x2x5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 1, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        %3 = tensor.empty() : tensor<2xi64>
        %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%3 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %6 = arith.extsi %in : i32 to i64
          linalg.yield %6 : i64
        } -> tensor<2xi64>
        %5 = linalg.generic {indexing_maps = [#map13, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %2 : tensor<2xi64>, tensor<4x2x5xf32>) outs(%1 : tensor<4x2x5xf32>) {
        ^bb0(%in: i64, %in_0: f32, %out: f32):
          %6 = linalg.index 0 : index
          %7 = arith.index_cast %6 : index to i64
          %8 = arith.cmpi slt, %7, %in : i64
          %9 = arith.select %8, %in_0, %cst : f32
          linalg.yield %9 : f32
        } -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %5, %arg2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_8 {
    flow.executable.export public @onnx_gru_grad_dispatch_8_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_8_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 1, 0, 0], sizes = [4, 1, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x2x5xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_9 {
    flow.executable.export public @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %1 = tensor.empty() : tensor<8x3xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [1, 15, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>> -> tensor<15x3xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %4 = linalg.matmul ins(%0, %2 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%3 : tensor<8x3xf32>) -> tensor<8x3xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : tensor<8x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_10 {
    flow.executable.export public @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %1 = tensor.empty() : tensor<4x2x5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0, 5], sizes = [1, 4, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>> -> tensor<4x2x5xf32>
        %3 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %0 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%1 : tensor<4x2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %4 = arith.mulf %in, %in_0 : f32
          linalg.yield %4 : f32
        } -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_11 {
    flow.executable.export public @onnx_gru_grad_dispatch_11_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_11_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x10xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [4, 2, 10], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x10xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 0], sizes = [4, 2, 10], strides = [1, 1, 1] : tensor<4x2x10xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x10xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_12 {
    flow.executable.export public @onnx_gru_grad_dispatch_12_slow_memcpy workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_12_slow_memcpy(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 10], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %0, %arg1, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_13 {
    flow.executable.export public @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15x3xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x3xf32>> -> tensor<8x3xf32>
        %2 = tensor.empty() : tensor<15x3xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<15x3xf32>) -> tensor<15x3xf32>
        %4 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%0, %1 : tensor<8x15xf32>, tensor<8x3xf32>) outs(%3 : tensor<15x3xf32>) -> tensor<15x3xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [15, 3], strides = [1, 1] : tensor<15x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15x3xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_14 {
    flow.executable.export public @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x10xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10x5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 10], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x10xf32>> -> tensor<8x10xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %2 = tensor.empty() : tensor<10x5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<10x5xf32>) -> tensor<10x5xf32>
        %4 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%0, %1 : tensor<8x10xf32>, tensor<8x5xf32>) outs(%3 : tensor<10x5xf32>) -> tensor<10x5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [10, 5], strides = [1, 1] : tensor<10x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<10x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_15 {
    flow.executable.export public @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x5xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x5xf32>> -> tensor<8x5xf32>
        %2 = tensor.empty() : tensor<5x5xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5x5xf32>) -> tensor<5x5xf32>
        %4 = linalg.matmul indexing_maps = [#map11, #map12, #map7] ins(%0, %1 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%3 : tensor<5x5xf32>) -> tensor<5x5xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [5, 5], strides = [1, 1] : tensor<5x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<5x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_16 {
    flow.executable.export public @onnx_gru_grad_dispatch_16_reduction_15x8_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_16_reduction_15x8_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %1 = tensor.empty() : tensor<15xf32>
        %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<15xf32>) -> tensor<15xf32>
        %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<8x15xf32>) outs(%2 : tensor<15xf32>) {
        ^bb0(%in: f32, %out: f32):
          %4 = arith.addf %out, %in : f32
          linalg.yield %4 : f32
        } -> tensor<15xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg1, offsets = [0], sizes = [15], strides = [1] : tensor<15xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<15xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_17 {
    flow.executable.export public @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0], sizes = [8, 15], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<8x15xf32>> -> tensor<8x15xf32>
        %1 = tensor.empty() : tensor<8x3xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [1, 0, 0], sizes = [1, 15, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x15x3xf32>> -> tensor<15x3xf32>
        %3 = linalg.fill ins(%cst : f32) outs(%1 : tensor<8x3xf32>) -> tensor<8x3xf32>
        %4 = linalg.matmul ins(%0, %2 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%3 : tensor<8x3xf32>) -> tensor<8x3xf32>
        iree_tensor_ext.dispatch.tensor.store %4, %arg2, offsets = [0, 0], sizes = [8, 3], strides = [1, 1] : tensor<8x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<8x3xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_18 {
    flow.executable.export public @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg3: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>, %arg4: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>, %arg5: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>) {
        %c1_i64 = arith.constant 1 : i64
        %0 = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg3, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %2 = tensor.empty() : tensor<4x2x5xf32>
        %3 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [1, 0, 0], sizes = [1, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>> -> tensor<2x5xf32>
        %4 = tensor.empty() : tensor<2xi64>
        %5 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [1, 0, 0, 5], sizes = [1, 4, 2, 5], strides = [1, 1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x4x2x15xf32>> -> tensor<4x2x5xf32>
        %6 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%4 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %8 = arith.extsi %in : i32 to i64
          linalg.yield %8 : i64
        } -> tensor<2xi64>
        %7:2 = linalg.generic {indexing_maps = [#map14, #map13, #map6, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %6, %3, %1 : tensor<4x2x5xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<4x2x5xf32>) outs(%2, %2 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) {
        ^bb0(%in: f32, %in_0: i64, %in_1: f32, %in_2: f32, %out: f32, %out_3: f32):
          %8 = linalg.index 0 : index
          %9 = arith.subi %in_0, %c1_i64 : i64
          %10 = arith.index_cast %8 : index to i64
          %11 = arith.cmpi eq, %10, %9 : i64
          %12 = arith.select %11, %in_1, %in_2 : f32
          %13 = arith.mulf %in, %12 : f32
          linalg.yield %12, %13 : f32, f32
        } -> (tensor<4x2x5xf32>, tensor<4x2x5xf32>)
        iree_tensor_ext.dispatch.tensor.store %7#0, %arg4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        iree_tensor_ext.dispatch.tensor.store %7#1, %arg5, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : tensor<4x2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x5xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_25 {
    flow.executable.export public @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>>, %arg3: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>) {
        %cst = arith.constant 0.000000e+00 : f32
        %0 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi32>> -> tensor<2xi32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg2, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x3xf32>> -> tensor<4x2x3xf32>
        %3 = tensor.empty() : tensor<4x2x3xf32>
        %4 = tensor.empty() : tensor<2xi64>
        %5 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%0 : tensor<2xi32>) outs(%4 : tensor<2xi64>) {
        ^bb0(%in: i32, %out: i64):
          %7 = arith.extsi %in : i32 to i64
          linalg.yield %7 : i64
        } -> tensor<2xi64>
        %6 = linalg.generic {indexing_maps = [#map13, #map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %1, %2 : tensor<2xi64>, tensor<4x2x3xf32>, tensor<4x2x3xf32>) outs(%3 : tensor<4x2x3xf32>) {
        ^bb0(%in: i64, %in_0: f32, %in_1: f32, %out: f32):
          %7 = arith.addf %in_0, %in_1 : f32
          %8 = linalg.index 0 : index
          %9 = arith.index_cast %8 : index to i64
          %10 = arith.cmpi slt, %9, %in : i64
          %11 = arith.select %10, %7, %cst : f32
          linalg.yield %11 : f32
        } -> tensor<4x2x3xf32>
        iree_tensor_ext.dispatch.tensor.store %6, %arg3, offsets = [0, 0, 0], sizes = [4, 2, 3], strides = [1, 1, 1] : tensor<4x2x3xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x2x3xf32>>
        return
      }
    }
  }
  flow.executable private @onnx_gru_grad_dispatch_26 {
    flow.executable.export public @onnx_gru_grad_dispatch_26_elementwise_2x5_f32 workgroups() -> (index, index, index) {
      %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
      flow.return %x, %y, %z : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%arg0: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>>, %arg1: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>>, %arg2: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>) {
        %0 = tensor.empty() : tensor<2x5xf32>
        %1 = iree_tensor_ext.dispatch.tensor.load %arg0, offsets = [0, 0, 0], sizes = [1, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>> -> tensor<2x5xf32>
        %2 = iree_tensor_ext.dispatch.tensor.load %arg1, offsets = [0, 0, 0], sizes = [1, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x2x5xf32>> -> tensor<2x5xf32>
        %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %1 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%0 : tensor<2x5xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %4 = arith.addf %in, %in_0 : f32
          linalg.yield %4 : f32
        } -> tensor<2x5xf32>
        iree_tensor_ext.dispatch.tensor.store %3, %arg2, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : tensor<2x5xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<2x5xf32>>
        return
      }
    }
  }
  util.func public @onnx_gru_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_gru_grad(%input0: tensor<4x2x3xf32>, %input1: tensor<2x15x3xf32>, %input2: tensor<2x15x5xf32>, %input3: tensor<2x30xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<4x2x2x5xf32>, %input7: tensor<4x2x2x5xf32>, %input8: tensor<2x2x5xf32>, %input9: tensor<2x4x2x15xf32>) -> (%output0: tensor<4x2x3xf32>, %output1: tensor<2x15x3xf32>, %output2: tensor<2x15x5xf32>, %output3: tensor<2x30xf32>, %output4: tensor<2x2x5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,15,3], R: float32[2,15,5], B: float32[2,30], sequence_lens: int32[2], initial_h: float32[2,2,5], Y: float32[4,2,2,5], Y_grad: float32[4,2,2,5], Y_h_grad: float32[2,2,5], reserve_space: float32[2,4,2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22\22, \22activation_alpha\22: \22\22, \22activation_beta\22: \22\22, \22clip\22: 0.0, \22hidden_size\22: 0, \22layout\22: 0, \22linear_before_reset\22: 0, \22inputs\22: \22B sequence_lens initial_h\22}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.GRUGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "X_grad: float32[4,2,3], W_grad: float32[2,15,3], R_grad: float32[2,15,5], B_grad: float32[2,30], initial_h_grad: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c60 = arith.constant 60 : index
    %c150 = arith.constant 150 : index
    %c285 = arith.constant 285 : index
    %c270 = arith.constant 270 : index
    %c215 = arith.constant 215 : index
    %c165 = arith.constant 165 : index
    %c45 = arith.constant 45 : index
    %c255 = arith.constant 255 : index
    %c240 = arith.constant 240 : index
    %c140 = arith.constant 140 : index
    %c90 = arith.constant 90 : index
    %c3 = arith.constant 3 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    %c15 = arith.constant 15 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<4x2x3xf32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x15x3xf32>
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x15x5xf32>
    %3 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<2xi32>
    %4 = hal.tensor.import %arg5 "input5" : !hal.buffer_view -> tensor<2x2x5xf32>
    %5 = hal.tensor.import %arg6 "input6" : !hal.buffer_view -> tensor<4x2x2x5xf32>
    %6 = hal.tensor.import %arg7 "input7" : !hal.buffer_view -> tensor<4x2x2x5xf32>
    %7 = hal.tensor.import %arg8 "input8" : !hal.buffer_view -> tensor<2x2x5xf32>
    %8 = hal.tensor.import %arg9 "input9" : !hal.buffer_view -> tensor<2x4x2x15xf32>
    %9 = util.optimization_barrier %8 : tensor<2x4x2x15xf32>
    %10 = util.optimization_barrier %7 : tensor<2x2x5xf32>
    %11 = util.optimization_barrier %6 : tensor<4x2x2x5xf32>
    %12 = util.optimization_barrier %5 : tensor<4x2x2x5xf32>
    %13 = util.optimization_barrier %4 : tensor<2x2x5xf32>
    %14 = util.optimization_barrier %3 : tensor<2xi32>
    %15 = util.optimization_barrier %2 : tensor<2x15x5xf32>
    %16 = util.optimization_barrier %1 : tensor<2x15x3xf32>
    %17 = util.optimization_barrier %0 : tensor<4x2x3xf32>
    %18 = flow.dispatch @onnx_lstm_prepacked_dispatch_0::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32(%14) : (tensor<2xi32>) -> tensor<i32>
    %19 = flow.dispatch @onnx_gru_grad_dispatch_1::@onnx_gru_grad_dispatch_1_elementwise_2_i32(%14) : (tensor<2xi32>) -> tensor<2xi32>
    %20 = flow.dispatch @onnx_lstm_prepacked_dispatch_1::@onnx_lstm_prepacked_dispatch_1_elementwise(%18) : (tensor<i32>) -> tensor<i64>
    %21 = flow.dispatch @onnx_gru_grad_dispatch_3::@onnx_gru_grad_dispatch_3_elementwise_2_i32xi64(%19) : (tensor<2xi32>) -> tensor<2xi64>
    %22 = flow.dispatch @onnx_gru_grad_dispatch_4::@onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32(%19, %17) : (tensor<2xi32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
    %23 = flow.tensor.empty : tensor<4x2x5xf32>
    %24 = flow.dispatch @onnx_gru_grad_dispatch_5::@onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32(%12, %19) : (tensor<4x2x2x5xf32>, tensor<2xi32>) -> tensor<4x2x5xf32>
    %25 = flow.dispatch @onnx_gru_grad_dispatch_6::@onnx_gru_grad_dispatch_6_slow_memcpy(%11) : (tensor<4x2x2x5xf32>) -> tensor<4x2x5xf32>
    %26 = flow.tensor.slice %9[%c0, %c0, %c0, %c0 for %c1, %c4, %c2, %c15] : tensor<2x4x2x15xf32> -> tensor<1x4x2x15xf32>
    %27 = flow.tensor.reshape %26 : tensor<1x4x2x15xf32> -> tensor<4x2x15xf32>
    %28 = flow.tensor.slice %13[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %29 = flow.tensor.reshape %28 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %30 = flow.tensor.slice %10[%c0, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %31 = flow.tensor.reshape %30 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %32 = flow.dispatch @onnx_gru_grad_dispatch_7::@onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32(%12, %19) : (tensor<4x2x2x5xf32>, tensor<2xi32>) -> tensor<4x2x5xf32>
    %33 = flow.dispatch @onnx_gru_grad_dispatch_8::@onnx_gru_grad_dispatch_8_slow_memcpy(%11) : (tensor<4x2x2x5xf32>) -> tensor<4x2x5xf32>
    %34 = flow.tensor.slice %9[%c1, %c0, %c0, %c0 for %c1, %c4, %c2, %c15] : tensor<2x4x2x15xf32> -> tensor<1x4x2x15xf32>
    %35 = flow.tensor.reshape %34 : tensor<1x4x2x15xf32> -> tensor<4x2x15xf32>
    %36 = flow.tensor.slice %13[%c1, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %37 = flow.tensor.reshape %36 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %38 = flow.tensor.slice %10[%c1, %c0, %c0 for %c1, %c2, %c5] : tensor<2x2x5xf32> -> tensor<1x2x5xf32>
    %39 = flow.tensor.reshape %38 : tensor<1x2x5xf32> -> tensor<2x5xf32>
    %40 = flow.tensor.slice %15[%c0, %c0, %c0 for %c1, %c10, %c5] : tensor<2x15x5xf32> -> tensor<1x10x5xf32>
    %41 = flow.tensor.reshape %40 : tensor<1x10x5xf32> -> tensor<10x5xf32>
    %42 = flow.tensor.slice %15[%c0, %c10, %c0 for %c1, %c5, %c5] : tensor<2x15x5xf32> -> tensor<1x5x5xf32>
    %43 = flow.tensor.reshape %42 : tensor<1x5x5xf32> -> tensor<5x5xf32>
    %44 = flow.tensor.clone %25 : tensor<4x2x5xf32>
    %45 = flow.tensor.clone %24 : tensor<4x2x5xf32>
    %46 = flow.tensor.clone %27 : tensor<4x2x15xf32>
    %47 = flow.tensor.clone %21 : tensor<2xi64>
    %48 = flow.tensor.clone %29 : tensor<2x5xf32>
    %49 = flow.tensor.clone %31 : tensor<2x5xf32>
    %50 = flow.tensor.clone %43 : tensor<5x5xf32>
    %51 = flow.tensor.clone %41 : tensor<10x5xf32>
    %52 = flow.tensor.clone %49 : tensor<2x5xf32>
    %53:5 = flow.dispatch @onnx_gru_grad_gru_reset_before_backward_loop::@onnx_gru_grad_gru_reset_before_backward_loop(%20, %44, %45, %46, %47, %48, %50, %51, %52, %cst) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x15xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<10x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %54 = flow.tensor.slice %15[%c1, %c0, %c0 for %c1, %c10, %c5] : tensor<2x15x5xf32> -> tensor<1x10x5xf32>
    %55 = flow.tensor.reshape %54 : tensor<1x10x5xf32> -> tensor<10x5xf32>
    %56 = flow.tensor.slice %15[%c1, %c10, %c0 for %c1, %c5, %c5] : tensor<2x15x5xf32> -> tensor<1x5x5xf32>
    %57 = flow.tensor.reshape %56 : tensor<1x5x5xf32> -> tensor<5x5xf32>
    %58 = flow.tensor.clone %33 : tensor<4x2x5xf32>
    %59 = flow.tensor.clone %32 : tensor<4x2x5xf32>
    %60 = flow.tensor.clone %35 : tensor<4x2x15xf32>
    %61 = flow.tensor.clone %37 : tensor<2x5xf32>
    %62 = flow.tensor.clone %39 : tensor<2x5xf32>
    %63 = flow.tensor.clone %57 : tensor<5x5xf32>
    %64 = flow.tensor.clone %55 : tensor<10x5xf32>
    %65 = flow.tensor.clone %62 : tensor<2x5xf32>
    %66:5 = flow.dispatch @onnx_gru_grad_gru_reset_before_backward_1_loop::@onnx_gru_grad_gru_reset_before_backward_1_loop(%20, %58, %59, %60, %47, %61, %63, %64, %65, %cst) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x15xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<10x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %67 = flow.tensor.reshape %53#0 : tensor<4x2x15xf32> -> tensor<8x15xf32>
    %68 = flow.dispatch @onnx_gru_grad_dispatch_9::@onnx_gru_grad_dispatch_9_matmul_8x3x15_f32(%16, %67) : (tensor<2x15x3xf32>, tensor<8x15xf32>) -> tensor<8x3xf32>
    %69 = flow.tensor.slice %24[%c0, %c0, %c0 for %c3, %c2, %c5] : tensor<4x2x5xf32> -> tensor<3x2x5xf32>
    %70 = flow.tensor.update %28, %23[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %23 as tensor<4x2x5xf32>
    %71 = flow.tensor.update %69, %70[%c1, %c0, %c0] : tensor<3x2x5xf32> -> %70 as tensor<4x2x5xf32>
    %72 = flow.dispatch @onnx_gru_grad_dispatch_10::@onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32(%9, %71) : (tensor<2x4x2x15xf32>, tensor<4x2x5xf32>) -> tensor<4x2x5xf32>
    %73 = flow.dispatch @onnx_gru_grad_dispatch_11::@onnx_gru_grad_dispatch_11_slow_memcpy(%53#0) : (tensor<4x2x15xf32>) -> tensor<4x2x10xf32>
    %74 = flow.dispatch @onnx_gru_grad_dispatch_12::@onnx_gru_grad_dispatch_12_slow_memcpy(%53#0) : (tensor<4x2x15xf32>) -> tensor<4x2x5xf32>
    %75 = flow.tensor.reshape %22 : tensor<4x2x3xf32> -> tensor<8x3xf32>
    %76 = flow.dispatch @onnx_gru_grad_dispatch_13::@onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%67, %75) : (tensor<8x15xf32>, tensor<8x3xf32>) -> tensor<15x3xf32>
    %77 = flow.tensor.reshape %73 : tensor<4x2x10xf32> -> tensor<8x10xf32>
    %78 = flow.tensor.reshape %71 : tensor<4x2x5xf32> -> tensor<8x5xf32>
    %79 = flow.dispatch @onnx_gru_grad_dispatch_14::@onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%77, %78) : (tensor<8x10xf32>, tensor<8x5xf32>) -> tensor<10x5xf32>
    %80 = flow.tensor.reshape %74 : tensor<4x2x5xf32> -> tensor<8x5xf32>
    %81 = flow.tensor.reshape %72 : tensor<4x2x5xf32> -> tensor<8x5xf32>
    %82 = flow.dispatch @onnx_gru_grad_dispatch_15::@onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%80, %81) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<5x5xf32>
    %83 = flow.dispatch @onnx_gru_grad_dispatch_16::@onnx_gru_grad_dispatch_16_reduction_15x8_f32(%67) : (tensor<8x15xf32>) -> tensor<15xf32>
    %84 = flow.tensor.reshape %66#0 : tensor<4x2x15xf32> -> tensor<8x15xf32>
    %85 = flow.dispatch @onnx_gru_grad_dispatch_17::@onnx_gru_grad_dispatch_17_matmul_8x3x15_f32(%16, %84) : (tensor<2x15x3xf32>, tensor<8x15xf32>) -> tensor<8x3xf32>
    %86 = flow.tensor.slice %32[%c1, %c0, %c0 for %c3, %c2, %c5] : tensor<4x2x5xf32> -> tensor<3x2x5xf32>
    %87 = flow.tensor.update %86, %23[%c0, %c0, %c0] : tensor<3x2x5xf32> -> %23 as tensor<4x2x5xf32>
    %88 = flow.tensor.update %36, %87[%c3, %c0, %c0] : tensor<1x2x5xf32> -> %87 as tensor<4x2x5xf32>
    %89:2 = flow.dispatch @onnx_gru_grad_dispatch_18::@onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32(%13, %9, %19, %88) : (tensor<2x2x5xf32>, tensor<2x4x2x15xf32>, tensor<2xi32>, tensor<4x2x5xf32>) -> (tensor<4x2x5xf32>, tensor<4x2x5xf32>)
    %90 = flow.dispatch @onnx_gru_grad_dispatch_11::@onnx_gru_grad_dispatch_11_slow_memcpy(%66#0) : (tensor<4x2x15xf32>) -> tensor<4x2x10xf32>
    %91 = flow.dispatch @onnx_gru_grad_dispatch_12::@onnx_gru_grad_dispatch_12_slow_memcpy(%66#0) : (tensor<4x2x15xf32>) -> tensor<4x2x5xf32>
    %92 = flow.dispatch @onnx_gru_grad_dispatch_13::@onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%84, %75) : (tensor<8x15xf32>, tensor<8x3xf32>) -> tensor<15x3xf32>
    %93 = flow.tensor.reshape %90 : tensor<4x2x10xf32> -> tensor<8x10xf32>
    %94 = flow.tensor.reshape %89#0 : tensor<4x2x5xf32> -> tensor<8x5xf32>
    %95 = flow.dispatch @onnx_gru_grad_dispatch_14::@onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%93, %94) : (tensor<8x10xf32>, tensor<8x5xf32>) -> tensor<10x5xf32>
    %96 = flow.tensor.reshape %91 : tensor<4x2x5xf32> -> tensor<8x5xf32>
    %97 = flow.tensor.reshape %89#1 : tensor<4x2x5xf32> -> tensor<8x5xf32>
    %98 = flow.dispatch @onnx_gru_grad_dispatch_15::@onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%96, %97) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<5x5xf32>
    %99 = flow.dispatch @onnx_gru_grad_dispatch_16::@onnx_gru_grad_dispatch_16_reduction_15x8_f32(%84) : (tensor<8x15xf32>) -> tensor<15xf32>
    %100 = flow.tensor.reshape %76 : tensor<15x3xf32> -> tensor<45xf32>
    %101 = flow.tensor.empty : tensor<300xf32>
    %102 = flow.tensor.update %100, %101[%c0] : tensor<45xf32> -> %101 as tensor<300xf32>
    %103 = flow.tensor.reshape %79 : tensor<10x5xf32> -> tensor<50xf32>
    %104 = flow.tensor.update %103, %102[%c90] : tensor<50xf32> -> %102 as tensor<300xf32>
    %105 = flow.tensor.reshape %82 : tensor<5x5xf32> -> tensor<25xf32>
    %106 = flow.tensor.update %105, %104[%c140] : tensor<25xf32> -> %104 as tensor<300xf32>
    %107 = flow.tensor.update %83, %106[%c240] : tensor<15xf32> -> %106 as tensor<300xf32>
    %108 = flow.tensor.update %83, %107[%c255] : tensor<15xf32> -> %107 as tensor<300xf32>
    %109 = flow.tensor.reshape %92 : tensor<15x3xf32> -> tensor<45xf32>
    %110 = flow.tensor.update %109, %108[%c45] : tensor<45xf32> -> %108 as tensor<300xf32>
    %111 = flow.tensor.reshape %95 : tensor<10x5xf32> -> tensor<50xf32>
    %112 = flow.tensor.update %111, %110[%c165] : tensor<50xf32> -> %110 as tensor<300xf32>
    %113 = flow.tensor.reshape %98 : tensor<5x5xf32> -> tensor<25xf32>
    %114 = flow.tensor.update %113, %112[%c215] : tensor<25xf32> -> %112 as tensor<300xf32>
    %115 = flow.tensor.update %99, %114[%c270] : tensor<15xf32> -> %114 as tensor<300xf32>
    %116 = flow.tensor.update %99, %115[%c285] : tensor<15xf32> -> %115 as tensor<300xf32>
    %117 = flow.tensor.slice %116[%c0 for %c90] : tensor<300xf32> -> tensor<90xf32>
    %118 = flow.tensor.reshape %117 : tensor<90xf32> -> tensor<2x15x3xf32>
    %119 = flow.tensor.slice %116[%c90 for %c150] : tensor<300xf32> -> tensor<150xf32>
    %120 = flow.tensor.reshape %119 : tensor<150xf32> -> tensor<2x15x5xf32>
    %121 = flow.tensor.slice %116[%c240 for %c60] : tensor<300xf32> -> tensor<60xf32>
    %122 = flow.tensor.reshape %121 : tensor<60xf32> -> tensor<2x30xf32>
    %123 = flow.tensor.reshape %68 : tensor<8x3xf32> -> tensor<4x2x3xf32>
    %124 = flow.tensor.reshape %85 : tensor<8x3xf32> -> tensor<4x2x3xf32>
    %125 = flow.dispatch @onnx_gru_grad_dispatch_25::@onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32(%19, %123, %124) : (tensor<2xi32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
    %126 = flow.dispatch @onnx_gru_grad_dispatch_26::@onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%53#4, %53#3) : (tensor<2x2x5xf32>, tensor<2x2x5xf32>) -> tensor<2x5xf32>
    %127 = flow.dispatch @onnx_gru_grad_dispatch_26::@onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%66#4, %66#3) : (tensor<2x2x5xf32>, tensor<2x2x5xf32>) -> tensor<2x5xf32>
    %128 = flow.tensor.empty : tensor<2x2x5xf32>
    %129 = flow.tensor.reshape %126 : tensor<2x5xf32> -> tensor<1x2x5xf32>
    %130 = flow.tensor.update %129, %128[%c0, %c0, %c0] : tensor<1x2x5xf32> -> %128 as tensor<2x2x5xf32>
    %131 = flow.tensor.reshape %127 : tensor<2x5xf32> -> tensor<1x2x5xf32>
    %132 = flow.tensor.update %131, %130[%c1, %c0, %c0] : tensor<1x2x5xf32> -> %130 as tensor<2x2x5xf32>
    %133 = hal.tensor.export %125 "output0" : tensor<4x2x3xf32> -> !hal.buffer_view
    %134 = hal.tensor.export %118 "output1" : tensor<2x15x3xf32> -> !hal.buffer_view
    %135 = hal.tensor.export %120 "output2" : tensor<2x15x5xf32> -> !hal.buffer_view
    %136 = hal.tensor.export %122 "output3" : tensor<2x30xf32> -> !hal.buffer_view
    %137 = hal.tensor.export %132 "output4" : tensor<2x2x5xf32> -> !hal.buffer_view
    util.return %133, %134, %135, %136, %137 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  stream.executable private @onnx_gru_grad_gru_reset_before_backward_loop {
    stream.executable.export public @onnx_gru_grad_gru_reset_before_backward_loop workgroups() -> (index, index, index) {
      %c1 = arith.constant 1 : index
      stream.return %c1, %c1, %c1 : index, index, index
    }
    builtin.module {
      func.func @onnx_gru_grad_gru_reset_before_backward_loop(%arg0: !stream.binding, %arg1: !stream.binding, %arg2: !stream.binding, %arg3: !stream.binding, %arg4: !stream.binding, %arg5: !stream.binding, %arg6: !stream.binding, %arg7: !stream.binding, %arg8: !stream.binding, %arg9: !stream.binding, %arg10: !stream.binding, %arg11: !stream.binding, %arg12: !stream.binding, %arg13: !stream.binding, %arg14: !stream.binding) attributes {translation_info = #translation} {
        %c2_i64 = arith.constant 2 : i64
        %c4 = arith.constant 4 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant dense<0.000000e+00> : vector<5xf32>
        %c10 = arith.constant 10 : index
        %cst_0 = arith.constant 0.000000e+00 : f32
        %cst_1 = arith.constant dense<1.000000e+00> : vector<5xf32>
        %c3_i64 = arith.constant 3 : i64
        %c1_i64 = arith.constant 1 : i64
        %c2 = arith.constant 2 : index
        %c1 = arith.constant 1 : index
        %c4_i64 = arith.constant 4 : i64
        %c0_i64 = arith.constant 0 : i64
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %4 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %8 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %10 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %12 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0, 0], sizes = [5, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>> -> tensor<5x5xf32>
        %14 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [10, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>> -> tensor<10x5xf32>
        %16 = stream.binding.subspan %arg8[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %18 = stream.binding.subspan %arg9[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %20 = stream.binding.subspan %arg10[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %22 = stream.binding.subspan %arg11[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %24 = stream.binding.subspan %arg12[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [2, 2, 10], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>> -> tensor<2x2x10xf32>
        %26 = stream.binding.subspan %arg13[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %28 = stream.binding.subspan %arg14[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %30 = arith.maxsi %extracted, %c0_i64 : i64
        %31 = arith.minsi %30, %c4_i64 : i64
        %32 = arith.index_cast %31 : i64 to index
        %33 = arith.remui %32, %c2 : index
        %inserted_slice = tensor.insert_slice %17 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_2 = tensor.insert_slice %19 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %34:5 = scf.for %arg15 = %c0 to %32 step %c1 iter_args(%arg16 = %21, %arg17 = %23, %arg18 = %25, %arg19 = %inserted_slice, %arg20 = %inserted_slice_2) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %37 = arith.index_cast %arg15 : index to i64
          %38 = arith.subi %32, %arg15 : index
          %39 = arith.remui %38, %c2 : index
          %40 = arith.subi %c1, %39 : index
          %41 = arith.subi %extracted, %37 : i64
          %42 = arith.subi %41, %c1_i64 : i64
          %43 = arith.maxsi %42, %c0_i64 : i64
          %44 = arith.minsi %43, %c3_i64 : i64
          %45 = arith.index_cast %44 : i64 to index
          %46 = arith.cmpi eq, %42, %c0_i64 : i64
          %47 = arith.subi %41, %c2_i64 : i64
          %48 = scf.for %arg21 = %c0 to %c2 step %c1 iter_args(%arg22 = %arg17) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg21] : tensor<2xi64>
            %57 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %58 = vector.broadcast %42 : i64 to vector<5xi64>
            %59 = arith.cmpi sgt, %57, %58 : vector<5xi64>
            %60 = arith.maxsi %42, %c0_i64 : i64
            %61 = arith.minsi %60, %c3_i64 : i64
            %62 = arith.index_cast %61 : i64 to index
            %63 = vector.transfer_read %7[%62, %arg21, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %64 = arith.mulf %63, %63 : vector<5xf32>
            %65 = arith.subf %cst_1, %64 : vector<5xf32>
            %66 = arith.maxsi %42, %c0_i64 : i64
            %67 = arith.minsi %66, %c3_i64 : i64
            %68 = arith.index_cast %67 : i64 to index
            %69 = vector.transfer_read %3[%68, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %70 = vector.transfer_read %arg19[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = vector.transfer_read %arg20[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %73 = arith.addf %71, %72 : vector<5xf32>
            %74 = arith.maxsi %42, %c0_i64 : i64
            %75 = arith.minsi %74, %c3_i64 : i64
            %76 = arith.index_cast %75 : i64 to index
            %77 = vector.transfer_read %7[%76, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %78 = arith.subf %cst_1, %77 : vector<5xf32>
            %79 = arith.mulf %73, %78 : vector<5xf32>
            %80 = arith.mulf %65, %79 : vector<5xf32>
            %81 = arith.select %59, %80, %cst : vector<5xi1>, vector<5xf32>
            %82 = vector.transfer_write %81, %arg22[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %82 : tensor<2x2x5xf32>
          }
          %extracted_slice = tensor.extract_slice %48[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %49 = tensor.empty() : tensor<2x5xf32>
          %50 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%49 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %51 = linalg.matmul {lowering_config = #config6} ins(%extracted_slice, %13 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%50 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %52:3 = scf.for %arg21 = %c0 to %c2 step %c1 iter_args(%arg22 = %arg16, %arg23 = %arg18, %arg24 = %arg20) -> (tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg21] : tensor<2xi64>
            %57 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %58 = vector.broadcast %42 : i64 to vector<5xi64>
            %59 = arith.cmpi sgt, %57, %58 : vector<5xi64>
            %60 = arith.maxsi %42, %c0_i64 : i64
            %61 = arith.minsi %60, %c3_i64 : i64
            %62 = arith.index_cast %61 : i64 to index
            %63 = vector.transfer_read %7[%62, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %64 = arith.subf %cst_1, %63 : vector<5xf32>
            %65 = arith.mulf %63, %64 : vector<5xf32>
            %66 = arith.maxsi %42, %c0_i64 : i64
            %67 = arith.minsi %66, %c3_i64 : i64
            %68 = arith.index_cast %67 : i64 to index
            %69 = vector.transfer_read %3[%68, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %70 = vector.transfer_read %arg19[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = vector.transfer_read %arg24[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %73 = arith.addf %71, %72 : vector<5xf32>
            %74 = vector.broadcast %46 : i1 to vector<5xi1>
            %75 = vector.transfer_read %11[%arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %76 = arith.maxsi %47, %c0_i64 : i64
            %77 = arith.minsi %76, %c3_i64 : i64
            %78 = arith.index_cast %77 : i64 to index
            %79 = vector.transfer_read %5[%78, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %80 = arith.select %74, %75, %79 : vector<5xi1>, vector<5xf32>
            %81 = arith.maxsi %42, %c0_i64 : i64
            %82 = arith.minsi %81, %c3_i64 : i64
            %83 = arith.index_cast %82 : i64 to index
            %84 = vector.transfer_read %7[%83, %arg21, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %85 = arith.subf %80, %84 : vector<5xf32>
            %86 = arith.mulf %73, %85 : vector<5xf32>
            %87 = arith.mulf %65, %86 : vector<5xf32>
            %88 = arith.select %59, %87, %cst : vector<5xi1>, vector<5xf32>
            %89 = arith.maxsi %42, %c0_i64 : i64
            %90 = arith.minsi %89, %c3_i64 : i64
            %91 = arith.index_cast %90 : i64 to index
            %92 = vector.transfer_read %7[%91, %arg21, %c5], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %93 = arith.subf %cst_1, %92 : vector<5xf32>
            %94 = arith.mulf %92, %93 : vector<5xf32>
            %95 = vector.transfer_read %51[%arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %96 = arith.mulf %95, %80 : vector<5xf32>
            %97 = arith.mulf %94, %96 : vector<5xf32>
            %98 = arith.select %59, %97, %cst : vector<5xi1>, vector<5xf32>
            %99 = arith.mulf %84, %84 : vector<5xf32>
            %100 = arith.subf %cst_1, %99 : vector<5xf32>
            %101 = arith.subf %cst_1, %63 : vector<5xf32>
            %102 = arith.mulf %73, %101 : vector<5xf32>
            %103 = arith.mulf %100, %102 : vector<5xf32>
            %104 = arith.select %59, %103, %cst : vector<5xi1>, vector<5xf32>
            %105 = arith.select %59, %87, %cst : vector<5xi1>, vector<5xf32>
            %106 = arith.select %59, %97, %cst : vector<5xi1>, vector<5xf32>
            %107 = arith.mulf %73, %63 : vector<5xf32>
            %108 = arith.mulf %95, %92 : vector<5xf32>
            %109 = arith.addf %107, %108 : vector<5xf32>
            %110 = arith.select %59, %109, %72 : vector<5xi1>, vector<5xf32>
            %111 = vector.transfer_write %88, %arg22[%45, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %112 = vector.transfer_write %98, %111[%45, %arg21, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %113 = vector.transfer_write %104, %112[%45, %arg21, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %114 = vector.transfer_write %105, %arg23[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %115 = vector.transfer_write %106, %114[%40, %arg21, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %116 = vector.transfer_write %110, %arg24[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %113, %115, %116 : tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>
          }
          %extracted_slice_3 = tensor.extract_slice %52#1[%40, 0, 0] [1, 2, 10] [1, 1, 1] : tensor<2x2x10xf32> to tensor<2x10xf32>
          %53 = tensor.empty() : tensor<2x5xf32>
          %54 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%53 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %55 = linalg.matmul {lowering_config = #config7} ins(%extracted_slice_3, %15 : tensor<2x10xf32>, tensor<10x5xf32>) outs(%54 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %56 = scf.for %arg21 = %c0 to %c2 step %c1 iter_args(%arg22 = %arg19) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg21] : tensor<2xi64>
            %57 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %58 = vector.broadcast %42 : i64 to vector<5xi64>
            %59 = arith.cmpi sgt, %57, %58 : vector<5xi64>
            %60 = vector.transfer_read %55[%arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %61 = vector.transfer_read %arg22[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %62 = arith.select %59, %60, %61 : vector<5xi1>, vector<5xf32>
            %63 = vector.transfer_write %62, %arg22[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %63 : tensor<2x2x5xf32>
          }
          scf.yield %52#0, %48, %52#1, %56, %52#2 : tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %35 = arith.addi %32, %workgroup_id_0 : index
        %36 = scf.for %arg15 = %35 to %c4 step %c1 iter_args(%arg16 = %34#0) -> (tensor<4x2x15xf32>) {
          %extracted_slice = tensor.extract_slice %arg16[%arg15, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<4x2x15xf32> to tensor<2x15xf32>
          %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x15xf32>) attrs =  {lowering_config = #config8} {
          ^bb0(%out: f32):
            linalg.yield %cst_0 : f32
          } -> tensor<2x15xf32>
          %inserted_slice_3 = tensor.insert_slice %37 into %arg16[%arg15, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<2x15xf32> into tensor<4x2x15xf32>
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
      func.func @onnx_gru_grad_gru_reset_before_backward_1_loop(%arg0: !stream.binding, %arg1: !stream.binding, %arg2: !stream.binding, %arg3: !stream.binding, %arg4: !stream.binding, %arg5: !stream.binding, %arg6: !stream.binding, %arg7: !stream.binding, %arg8: !stream.binding, %arg9: !stream.binding, %arg10: !stream.binding, %arg11: !stream.binding, %arg12: !stream.binding, %arg13: !stream.binding, %arg14: !stream.binding) attributes {translation_info = #translation} {
        %c4 = arith.constant 4 : index
        %c5 = arith.constant 5 : index
        %cst = arith.constant dense<0.000000e+00> : vector<5xf32>
        %c10 = arith.constant 10 : index
        %cst_0 = arith.constant 0.000000e+00 : f32
        %cst_1 = arith.constant dense<1.000000e+00> : vector<5xf32>
        %c1_i64 = arith.constant 1 : i64
        %c3_i64 = arith.constant 3 : i64
        %c2 = arith.constant 2 : index
        %c1 = arith.constant 1 : index
        %c4_i64 = arith.constant 4 : i64
        %c0_i64 = arith.constant 0 : i64
        %c0 = arith.constant 0 : index
        %0 = stream.binding.subspan %arg0[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>>
        %1 = iree_tensor_ext.dispatch.tensor.load %0, offsets = [], sizes = [], strides = [] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<i64>> -> tensor<i64>
        %extracted = tensor.extract %1[] : tensor<i64>
        %2 = stream.binding.subspan %arg1[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %3 = iree_tensor_ext.dispatch.tensor.load %2, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %4 = stream.binding.subspan %arg2[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>>
        %5 = iree_tensor_ext.dispatch.tensor.load %4, offsets = [0, 0, 0], sizes = [4, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x5xf32>> -> tensor<4x2x5xf32>
        %6 = stream.binding.subspan %arg3[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>>
        %7 = iree_tensor_ext.dispatch.tensor.load %6, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %8 = stream.binding.subspan %arg4[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>>
        %9 = iree_tensor_ext.dispatch.tensor.load %8, offsets = [0], sizes = [2], strides = [1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xi64>> -> tensor<2xi64>
        %10 = stream.binding.subspan %arg5[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %11 = iree_tensor_ext.dispatch.tensor.load %10, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %12 = stream.binding.subspan %arg6[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>>
        %13 = iree_tensor_ext.dispatch.tensor.load %12, offsets = [0, 0], sizes = [5, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<5x5xf32>> -> tensor<5x5xf32>
        %14 = stream.binding.subspan %arg7[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>>
        %15 = iree_tensor_ext.dispatch.tensor.load %14, offsets = [0, 0], sizes = [10, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<10x5xf32>> -> tensor<10x5xf32>
        %16 = stream.binding.subspan %arg8[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %17 = iree_tensor_ext.dispatch.tensor.load %16, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %18 = stream.binding.subspan %arg9[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>>
        %19 = iree_tensor_ext.dispatch.tensor.load %18, offsets = [0, 0], sizes = [2, 5], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2x5xf32>> -> tensor<2x5xf32>
        %20 = stream.binding.subspan %arg10[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>>
        %21 = iree_tensor_ext.dispatch.tensor.load %20, offsets = [0, 0, 0], sizes = [4, 2, 15], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4x2x15xf32>> -> tensor<4x2x15xf32>
        %22 = stream.binding.subspan %arg11[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %23 = iree_tensor_ext.dispatch.tensor.load %22, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %24 = stream.binding.subspan %arg12[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>>
        %25 = iree_tensor_ext.dispatch.tensor.load %24, offsets = [0, 0, 0], sizes = [2, 2, 10], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x10xf32>> -> tensor<2x2x10xf32>
        %26 = stream.binding.subspan %arg13[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %27 = iree_tensor_ext.dispatch.tensor.load %26, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %28 = stream.binding.subspan %arg14[%c0] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>>
        %29 = iree_tensor_ext.dispatch.tensor.load %28, offsets = [0, 0, 0], sizes = [2, 2, 5], strides = [1, 1, 1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<2x2x5xf32>> -> tensor<2x2x5xf32>
        %workgroup_id_0 = stream.dispatch.workgroup.id[0] : index
        %30 = arith.maxsi %extracted, %c0_i64 : i64
        %31 = arith.minsi %30, %c4_i64 : i64
        %32 = arith.index_cast %31 : i64 to index
        %33 = arith.remui %32, %c2 : index
        %inserted_slice = tensor.insert_slice %17 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %inserted_slice_2 = tensor.insert_slice %19 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
        %34:5 = scf.for %arg15 = %c0 to %32 step %c1 iter_args(%arg16 = %21, %arg17 = %23, %arg18 = %25, %arg19 = %inserted_slice, %arg20 = %inserted_slice_2) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
          %37 = arith.index_cast %arg15 : index to i64
          %38 = arith.subi %32, %arg15 : index
          %39 = arith.remui %38, %c2 : index
          %40 = arith.subi %c1, %39 : index
          %41 = arith.maxsi %37, %c0_i64 : i64
          %42 = arith.minsi %41, %c3_i64 : i64
          %43 = arith.index_cast %42 : i64 to index
          %44 = arith.addi %37, %c1_i64 : i64
          %45 = arith.addi %37, %c1_i64 : i64
          %46 = scf.for %arg21 = %c0 to %c2 step %c1 iter_args(%arg22 = %arg17) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg21] : tensor<2xi64>
            %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %56 = vector.broadcast %37 : i64 to vector<5xi64>
            %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
            %58 = arith.maxsi %37, %c0_i64 : i64
            %59 = arith.minsi %58, %c3_i64 : i64
            %60 = arith.index_cast %59 : i64 to index
            %61 = vector.transfer_read %7[%60, %arg21, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %62 = arith.mulf %61, %61 : vector<5xf32>
            %63 = arith.subf %cst_1, %62 : vector<5xf32>
            %64 = arith.maxsi %37, %c0_i64 : i64
            %65 = arith.minsi %64, %c3_i64 : i64
            %66 = arith.index_cast %65 : i64 to index
            %67 = vector.transfer_read %3[%66, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %68 = vector.transfer_read %arg19[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %69 = arith.addf %67, %68 : vector<5xf32>
            %70 = vector.transfer_read %arg20[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = arith.maxsi %37, %c0_i64 : i64
            %73 = arith.minsi %72, %c3_i64 : i64
            %74 = arith.index_cast %73 : i64 to index
            %75 = vector.transfer_read %7[%74, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %76 = arith.subf %cst_1, %75 : vector<5xf32>
            %77 = arith.mulf %71, %76 : vector<5xf32>
            %78 = arith.mulf %63, %77 : vector<5xf32>
            %79 = arith.select %57, %78, %cst : vector<5xi1>, vector<5xf32>
            %80 = vector.transfer_write %79, %arg22[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %80 : tensor<2x2x5xf32>
          }
          %extracted_slice = tensor.extract_slice %46[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
          %47 = tensor.empty() : tensor<2x5xf32>
          %48 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%47 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %49 = linalg.matmul {lowering_config = #config6} ins(%extracted_slice, %13 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%48 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %50:3 = scf.for %arg21 = %c0 to %c2 step %c1 iter_args(%arg22 = %arg16, %arg23 = %arg18, %arg24 = %arg20) -> (tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg21] : tensor<2xi64>
            %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %56 = vector.broadcast %37 : i64 to vector<5xi64>
            %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
            %58 = arith.maxsi %37, %c0_i64 : i64
            %59 = arith.minsi %58, %c3_i64 : i64
            %60 = arith.index_cast %59 : i64 to index
            %61 = vector.transfer_read %7[%60, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %62 = arith.subf %cst_1, %61 : vector<5xf32>
            %63 = arith.mulf %61, %62 : vector<5xf32>
            %64 = arith.maxsi %37, %c0_i64 : i64
            %65 = arith.minsi %64, %c3_i64 : i64
            %66 = arith.index_cast %65 : i64 to index
            %67 = vector.transfer_read %3[%66, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %68 = vector.transfer_read %arg19[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %69 = arith.addf %67, %68 : vector<5xf32>
            %70 = vector.transfer_read %arg24[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %71 = arith.addf %69, %70 : vector<5xf32>
            %72 = vector.broadcast %44 : i64 to vector<5xi64>
            %73 = arith.cmpi sgt, %55, %72 : vector<5xi64>
            %74 = arith.maxsi %45, %c0_i64 : i64
            %75 = arith.minsi %74, %c3_i64 : i64
            %76 = arith.index_cast %75 : i64 to index
            %77 = vector.transfer_read %5[%76, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
            %78 = vector.transfer_read %11[%arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %79 = arith.select %73, %77, %78 : vector<5xi1>, vector<5xf32>
            %80 = arith.maxsi %37, %c0_i64 : i64
            %81 = arith.minsi %80, %c3_i64 : i64
            %82 = arith.index_cast %81 : i64 to index
            %83 = vector.transfer_read %7[%82, %arg21, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %84 = arith.subf %79, %83 : vector<5xf32>
            %85 = arith.mulf %71, %84 : vector<5xf32>
            %86 = arith.mulf %63, %85 : vector<5xf32>
            %87 = arith.select %57, %86, %cst : vector<5xi1>, vector<5xf32>
            %88 = arith.maxsi %37, %c0_i64 : i64
            %89 = arith.minsi %88, %c3_i64 : i64
            %90 = arith.index_cast %89 : i64 to index
            %91 = vector.transfer_read %7[%90, %arg21, %c5], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
            %92 = arith.subf %cst_1, %91 : vector<5xf32>
            %93 = arith.mulf %91, %92 : vector<5xf32>
            %94 = vector.transfer_read %49[%arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %95 = arith.mulf %94, %79 : vector<5xf32>
            %96 = arith.mulf %93, %95 : vector<5xf32>
            %97 = arith.select %57, %96, %cst : vector<5xi1>, vector<5xf32>
            %98 = arith.mulf %83, %83 : vector<5xf32>
            %99 = arith.subf %cst_1, %98 : vector<5xf32>
            %100 = arith.subf %cst_1, %61 : vector<5xf32>
            %101 = arith.mulf %71, %100 : vector<5xf32>
            %102 = arith.mulf %99, %101 : vector<5xf32>
            %103 = arith.select %57, %102, %cst : vector<5xi1>, vector<5xf32>
            %104 = arith.select %57, %86, %cst : vector<5xi1>, vector<5xf32>
            %105 = arith.select %57, %96, %cst : vector<5xi1>, vector<5xf32>
            %106 = arith.mulf %71, %61 : vector<5xf32>
            %107 = arith.mulf %94, %91 : vector<5xf32>
            %108 = arith.addf %106, %107 : vector<5xf32>
            %109 = arith.select %57, %108, %70 : vector<5xi1>, vector<5xf32>
            %110 = vector.transfer_write %87, %arg22[%43, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %111 = vector.transfer_write %97, %110[%43, %arg21, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %112 = vector.transfer_write %103, %111[%43, %arg21, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
            %113 = vector.transfer_write %104, %arg23[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %114 = vector.transfer_write %105, %113[%40, %arg21, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
            %115 = vector.transfer_write %109, %arg24[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %112, %114, %115 : tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>
          }
          %extracted_slice_3 = tensor.extract_slice %50#1[%40, 0, 0] [1, 2, 10] [1, 1, 1] : tensor<2x2x10xf32> to tensor<2x10xf32>
          %51 = tensor.empty() : tensor<2x5xf32>
          %52 = linalg.fill {lowering_config = #config} ins(%cst_0 : f32) outs(%51 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %53 = linalg.matmul {lowering_config = #config7} ins(%extracted_slice_3, %15 : tensor<2x10xf32>, tensor<10x5xf32>) outs(%52 : tensor<2x5xf32>) -> tensor<2x5xf32>
          %54 = scf.for %arg21 = %c0 to %c2 step %c1 iter_args(%arg22 = %arg19) -> (tensor<2x2x5xf32>) {
            %extracted_4 = tensor.extract %9[%arg21] : tensor<2xi64>
            %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
            %56 = vector.broadcast %37 : i64 to vector<5xi64>
            %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
            %58 = vector.transfer_read %53[%arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
            %59 = vector.transfer_read %arg22[%39, %arg21, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
            %60 = arith.select %57, %58, %59 : vector<5xi1>, vector<5xf32>
            %61 = vector.transfer_write %60, %arg22[%40, %arg21, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
            scf.yield %61 : tensor<2x2x5xf32>
          }
          scf.yield %50#0, %46, %50#1, %54, %50#2 : tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
        }
        %35 = arith.addi %32, %workgroup_id_0 : index
        %36 = scf.for %arg15 = %35 to %c4 step %c1 iter_args(%arg16 = %34#0) -> (tensor<4x2x15xf32>) {
          %extracted_slice = tensor.extract_slice %arg16[%arg15, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<4x2x15xf32> to tensor<2x15xf32>
          %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x15xf32>) attrs =  {lowering_config = #config8} {
          ^bb0(%out: f32):
            linalg.yield %cst_0 : f32
          } -> tensor<2x15xf32>
          %inserted_slice_3 = tensor.insert_slice %37 into %arg16[%arg15, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<2x15xf32> into tensor<4x2x15xf32>
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
