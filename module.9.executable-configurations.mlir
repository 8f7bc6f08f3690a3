#config = #iree_cpu.lowering_config<distribution = [2, 5], vector_common_parallel = [1, 16]>
#config1 = #iree_cpu.lowering_config<vector_common_parallel = [5]>
#config2 = #iree_cpu.lowering_config<distribution = [5, 0], vector_common_parallel = [5, 0], vector_reduction = [0, 2]>
#config3 = #iree_cpu.lowering_config<distribution = []>
#config4 = #iree_cpu.lowering_config<distribution = [5, 10], vector_common_parallel = [16, 16]>
#config5 = #iree_cpu.lowering_config<vector_common_parallel = [8, 3]>
#config6 = #iree_cpu.lowering_config<distribution = [8, 3, 0], vector_common_parallel = [8, 3, 0], vector_reduction = [0, 0, 10]>
#config7 = #iree_cpu.lowering_config<distribution = [24], vector_common_parallel = [16]>
#config8 = #iree_cpu.lowering_config<distribution = [40], vector_common_parallel = [16]>
#config9 = #iree_cpu.lowering_config<distribution = [4, 2, 3], vector_common_parallel = [1, 1, 16]>
#config10 = #iree_cpu.lowering_config<distribution = [4, 2, 5], vector_common_parallel = [1, 1, 16]>
#config11 = #iree_cpu.lowering_config<vector_common_parallel = [8, 20]>
#config12 = #iree_cpu.lowering_config<distribution = [8, 20, 0], vector_common_parallel = [8, 20, 0], vector_reduction = [0, 0, 8]>
#config13 = #iree_cpu.lowering_config<vector_common_parallel = [2]>
#config14 = #iree_cpu.lowering_config<distribution = [2, 0], vector_common_parallel = [2, 0], vector_reduction = [0, 1]>
#config15 = #iree_cpu.lowering_config<distribution = [5, 0], vector_common_parallel = [5, 0], vector_reduction = [0, 8]>
#config16 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [2, 5], vector_reduction = [0, 0]>
#config17 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 4]>
#config18 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 20], vector_reduction = [0, 0]>
#config19 = #iree_cpu.lowering_config<distribution = [2, 3], vector_common_parallel = [1, 16]>
#config20 = #iree_cpu.lowering_config<vector_common_parallel = [8, 10]>
#config21 = #iree_cpu.lowering_config<distribution = [8, 10, 0], vector_common_parallel = [8, 10, 0], vector_reduction = [0, 0, 2]>
#config22 = #iree_cpu.lowering_config<distribution = [10], vector_common_parallel = [16]>
#config23 = #iree_cpu.lowering_config<vector_common_parallel = [8, 5]>
#config24 = #iree_cpu.lowering_config<distribution = [8, 5, 0], vector_common_parallel = [8, 5, 0], vector_reduction = [0, 0, 2]>
#config25 = #iree_cpu.lowering_config<vector_common_parallel = [1]>
#config26 = #iree_cpu.lowering_config<distribution = [1, 0], vector_common_parallel = [1, 0], vector_reduction = [0, 1]>
#config27 = #iree_cpu.lowering_config<distribution = [20], vector_common_parallel = [16]>
#config28 = #iree_cpu.lowering_config<distribution = [10, 5], vector_common_parallel = [16, 16]>
#config29 = #iree_cpu.lowering_config<distribution = [0], vector_reduction = [16]>
#config30 = #iree_cpu.lowering_config<distribution = [2], vector_common_parallel = [16]>
#config31 = #iree_cpu.lowering_config<distribution = [8, 20, 0], vector_common_parallel = [8, 20, 0], vector_reduction = [0, 0, 3]>
#config32 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [2, 20], vector_reduction = [0, 0]>
#config33 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 20, 0], vector_reduction = [0, 0, 1]>
#config34 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 5], vector_reduction = [0, 0]>
#config35 = #iree_cpu.lowering_config<distribution = [8, 3, 0], vector_common_parallel = [8, 3, 0], vector_reduction = [0, 0, 15]>
#config36 = #iree_cpu.lowering_config<distribution = [4, 2, 10], vector_common_parallel = [1, 1, 16]>
#config37 = #iree_cpu.lowering_config<vector_common_parallel = [5, 3]>
#config38 = #iree_cpu.lowering_config<distribution = [5, 3, 0], vector_common_parallel = [5, 3, 0], vector_reduction = [0, 0, 8]>
#config39 = #iree_cpu.lowering_config<vector_common_parallel = [5, 5]>
#config40 = #iree_cpu.lowering_config<distribution = [5, 5, 0], vector_common_parallel = [5, 5, 0], vector_reduction = [0, 0, 8]>
#config41 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 1]>
#config42 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 2]>
#config43 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 15], vector_reduction = [0, 0]>
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
#map11 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map13 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map14 = affine_map<(d0, d1, d2) -> (d1)>
#pipeline_layout = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout1 = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout2 = #hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout3 = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout4 = #hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout5 = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout6 = #hal.pipeline.layout<constants = 2, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout7 = #hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout8 = #hal.pipeline.layout<constants = 5, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout9 = #hal.pipeline.layout<constants = 3, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout10 = #hal.pipeline.layout<constants = 3, bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout11 = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#pipeline_layout12 = #hal.pipeline.layout<bindings = [#hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, "ReadOnly|Indirect">, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>, #hal.pipeline.binding<storage_buffer, Indirect>], flags = Indirect>
#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#translation1 = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<BufferOpsTileAndVectorize>>
#translation2 = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<Default>>
#translation3 = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, {enable_loop_peeling}>
#device_target_local = #hal.device.target<"local", [#executable_target_embedded_elf_x86_64]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_local
  hal.executable private @lstm_block_cell_grad_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32 ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 1.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %c128 = arith.constant 128 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %3 = hal.interface.binding.subspan layout(#pipeline_layout) binding(3) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout) binding(4) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %5 = hal.interface.binding.subspan layout(#pipeline_layout) binding(5) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout) binding(6) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %7 = hal.interface.binding.subspan layout(#pipeline_layout) binding(7) alignment(64) offset(%c0) flags(Indirect) : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout) binding(8) alignment(64) offset(%c64) flags(Indirect) : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %9 = hal.interface.binding.subspan layout(#pipeline_layout) binding(9) alignment(64) offset(%c128) flags(Indirect) : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %10 = iree_codegen.load_from_buffer %0 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %11 = iree_codegen.load_from_buffer %1 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %12 = iree_codegen.load_from_buffer %2 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %13 = iree_codegen.load_from_buffer %3 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %14 = iree_codegen.load_from_buffer %4 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %15 = iree_codegen.load_from_buffer %5 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %16 = iree_codegen.load_from_buffer %6 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %17 = tensor.empty() : tensor<2x5xf32>
          %18:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map, #map1, #map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %11, %12, %13, %14, %15, %16 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>) outs(%17, %17, %17 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) attrs =  {lowering_config = #config} {
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
          iree_codegen.store_to_buffer %18#0, %7 : tensor<2x5xf32> into memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %18#1, %8 : tensor<2x5xf32> into memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %18#2, %9 : tensor<2x5xf32> into memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @lstm_block_cell_grad_dispatch_1 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32 ordinal(0) layout(#pipeline_layout) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 1.000000e+00 : f32
          %c64 = arith.constant 64 : index
          %c0 = arith.constant 0 : index
          %c192 = arith.constant 192 : index
          %c256 = arith.constant 256 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %3 = hal.interface.binding.subspan layout(#pipeline_layout) binding(3) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout) binding(4) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %5 = hal.interface.binding.subspan layout(#pipeline_layout) binding(5) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout) binding(6) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %7 = hal.interface.binding.subspan layout(#pipeline_layout) binding(7) alignment(64) offset(%c192) flags(Indirect) : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout) binding(8) alignment(64) offset(%c256) flags(Indirect) : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %9 = hal.interface.binding.subspan layout(#pipeline_layout) binding(9) alignment(64) offset(%c0) flags(Indirect) : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %10 = iree_codegen.load_from_buffer %0 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %11 = iree_codegen.load_from_buffer %1 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %12 = iree_codegen.load_from_buffer %2 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %13 = iree_codegen.load_from_buffer %3 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %14 = iree_codegen.load_from_buffer %4 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %15 = iree_codegen.load_from_buffer %5 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %16 = iree_codegen.load_from_buffer %6 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %17 = tensor.empty() : tensor<2x5xf32>
          %18:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map, #map1, #map, #map1, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %11, %12, %13, %14, %15, %16 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<5xf32>, tensor<2x5xf32>, tensor<5xf32>) outs(%17, %17, %17 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) attrs =  {lowering_config = #config} {
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
          iree_codegen.store_to_buffer %18#0, %7 : tensor<2x5xf32> into memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %18#1, %8 : tensor<2x5xf32> into memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %18#2, %9 : tensor<2x5xf32> into memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @lstm_block_cell_grad_dispatch_2 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_2_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_2_slow_memcpy() attributes {translation_info = #translation1} {
          %c256 = arith.constant 256 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c256) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %0, 64 : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c64) flags(Indirect) : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 0] [2, 5] [1, 1] : memref<2x20xf32, strided<[20, 1], offset: ?>> to memref<2x5xf32, strided<[20, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%assume_align : memref<2x5xf32, strided<[5, 1], offset: ?>>) outs(%subview : memref<2x5xf32, strided<[20, 1], offset: ?>>) attrs =  {lowering_config = #config} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_2_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @lstm_block_cell_grad_dispatch_3 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_3_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_3_slow_memcpy() attributes {translation_info = #translation1} {
          %c128 = arith.constant 128 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c128) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %0, 64 : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c64) flags(Indirect) : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 5] [2, 5] [1, 1] : memref<2x20xf32, strided<[20, 1], offset: ?>> to memref<2x5xf32, strided<[20, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%assume_align : memref<2x5xf32, strided<[5, 1], offset: ?>>) outs(%subview : memref<2x5xf32, strided<[20, 1], offset: ?>>) attrs =  {lowering_config = #config} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_3_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @lstm_block_cell_grad_dispatch_4 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_4_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_4_slow_memcpy() attributes {translation_info = #translation1} {
          %c192 = arith.constant 192 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c192) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %0, 64 : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c64) flags(Indirect) : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 10] [2, 5] [1, 1] : memref<2x20xf32, strided<[20, 1], offset: ?>> to memref<2x5xf32, strided<[20, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%assume_align : memref<2x5xf32, strided<[5, 1], offset: ?>>) outs(%subview : memref<2x5xf32, strided<[20, 1], offset: ?>>) attrs =  {lowering_config = #config} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_4_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @lstm_block_cell_grad_dispatch_5 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_5_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_5_slow_memcpy() attributes {translation_info = #translation1} {
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32>
          %assume_align = memref.assume_alignment %0, 64 : memref<2x5xf32>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c64) flags(Indirect) : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<2x20xf32, strided<[20, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 15] [2, 5] [1, 1] : memref<2x20xf32, strided<[20, 1], offset: ?>> to memref<2x5xf32, strided<[20, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%assume_align : memref<2x5xf32>) outs(%subview : memref<2x5xf32, strided<[20, 1], offset: ?>>) attrs =  {lowering_config = #config} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_5_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @lstm_block_cell_grad_dispatch_6 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32 ordinal(0) layout(#pipeline_layout2) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout2) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout2) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 256, umax = 256, udiv = 256>, <umin = 192, umax = 192, udiv = 192>, <umin = 0, umax = 0>], 
              %3[<umin = 256, umax = 256, udiv = 256>, <umin = 320, umax = 320, udiv = 320>, <umin = 384, umax = 384, udiv = 384>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout2) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout2) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %7 = hal.interface.binding.subspan layout(#pipeline_layout2) binding(2) alignment(64) offset(%4#1) flags(Indirect) : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = iree_codegen.load_from_buffer %5 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %9 = iree_codegen.load_from_buffer %6 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %10 = tensor.empty() : tensor<5xf32>
          %11 = linalg.fill {lowering_config = #config1} ins(%cst : f32) outs(%10 : tensor<5xf32>) -> tensor<5xf32>
          %12 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%8, %9 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%11 : tensor<5xf32>) attrs =  {lowering_config = #config2} {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %13 = arith.mulf %in, %in_0 : f32
            %14 = arith.addf %out, %13 : f32
            linalg.yield %14 : f32
          } -> tensor<5xf32>
          iree_codegen.store_to_buffer %12, %7 : tensor<5xf32> into memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
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
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_0::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_0_elementwise_2x5_f32 {
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
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_1::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_1_elementwise_2x5_f32 {
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
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_2::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_2_slow_memcpy {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_3::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_3_slow_memcpy {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.dispatch @lstm_block_cell_grad_dispatch_4::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_4_slow_memcpy {
        ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
        rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_5::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_5_slow_memcpy {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          rw %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_6::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%c256_i32, %c256_i32 : i32, i32) {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          ro %arg25[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_6::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%c192_i32, %c320_i32 : i32, i32) {
          ro %arg29[%c0 for %c320] : !stream.resource<transient>{%c320},
          ro %arg25[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg28[%c0 for %c448] : !stream.resource<external>{%c448}
        }
        stream.cmd.dispatch @lstm_block_cell_grad_dispatch_6::@embedded_elf_x86_64::@lstm_block_cell_grad_dispatch_6_matvec_like_5x2_f32(%c0_i32, %c384_i32 : i32, i32) {
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
  hal.executable private @block_lstm_grad_v2_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_0_elementwise ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_0_elementwise() attributes {translation_info = #translation2} {
          %c0_i64 = arith.constant 0 : i64
          %c4_i64 = arith.constant 4 : i64
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i64, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<i64, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<i64, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %3 = tensor.empty() : tensor<i64>
          %4 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%2 : tensor<i64>) outs(%3 : tensor<i64>) attrs =  {lowering_config = #config3} {
          ^bb0(%in: i64, %out: i64):
            %5 = arith.maxsi %in, %c0_i64 : i64
            %6 = arith.minui %5, %c4_i64 : i64
            linalg.yield %6 : i64
          } -> tensor<i64>
          iree_codegen.store_to_buffer %4, %1 : tensor<i64> into memref<i64, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_0_elementwise {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_1 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<8x20xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c64) flags(Indirect) : memref<20x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = tensor.empty() : tensor<20x5xf32>
          %subview = memref.subview %0[3, 0] [5, 20] [1, 1] : memref<8x20xf32, #hal.descriptor_type<storage_buffer>> to memref<5x20xf32, strided<[20, 1], offset: 60>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %subview : memref<5x20xf32, strided<[20, 1], offset: 60>, #hal.descriptor_type<storage_buffer>> -> tensor<5x20xf32>
          %4 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5x20xf32>) outs(%2 : tensor<20x5xf32>) attrs =  {lowering_config = #config4} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          } -> tensor<20x5xf32>
          iree_codegen.store_to_buffer %4, %1 : tensor<20x5xf32> into memref<20x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_1_transpose_5x20_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_2 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c2 = arith.constant 2 : index
          %c0 = arith.constant 0 : index
          %c576 = arith.constant 576 : index
          %c128 = arith.constant 128 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<8x20xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c576) flags("ReadOnly|Indirect") : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i64, #hal.descriptor_type<storage_buffer>>
          %3 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c128) flags(Indirect) : memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %4 = iree_codegen.load_from_buffer %1 : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x20xf32>
          %5 = iree_codegen.load_from_buffer %2 : memref<i64, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %6 = tensor.empty() : tensor<8x3xf32>
          %7 = linalg.fill {lowering_config = #config5} ins(%cst : f32) outs(%6 : tensor<8x3xf32>) -> tensor<8x3xf32>
          %subview = memref.subview %0[0, 0] [3, 20] [1, 1] : memref<8x20xf32, #hal.descriptor_type<storage_buffer>> to memref<3x20xf32, strided<[20, 1]>, #hal.descriptor_type<storage_buffer>>
          %8 = iree_codegen.load_from_buffer %subview : memref<3x20xf32, strided<[20, 1]>, #hal.descriptor_type<storage_buffer>> -> tensor<3x20xf32>
          %9 = linalg.matmul indexing_maps = [#map5, #map6, #map7] {lowering_config = #config6} ins(%4, %8 : tensor<8x20xf32>, tensor<3x20xf32>) outs(%7 : tensor<8x3xf32>) -> tensor<8x3xf32>
          %10 = linalg.generic {indexing_maps = [#map8, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %9 : tensor<i64>, tensor<8x3xf32>) outs(%6 : tensor<8x3xf32>) attrs =  {lowering_config = #config5} {
          ^bb0(%in: i64, %in_0: f32, %out: f32):
            %11 = linalg.index 0 : index
            %12 = arith.divsi %11, %c2 : index
            %13 = arith.index_cast %12 : index to i64
            %14 = arith.cmpi slt, %13, %in : i64
            %15 = arith.select %14, %in_0, %cst : f32
            linalg.yield %15 : f32
          } -> tensor<8x3xf32>
          iree_codegen.store_to_buffer %10, %3 : tensor<8x3xf32> into memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_3 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32() attributes {translation_info = #translation3} {
          %c2 = arith.constant 2 : index
          %c3 = arith.constant 3 : index
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c320 = arith.constant 320 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i64, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<24xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c320) flags(Indirect) : memref<24xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<i64, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %4 = iree_codegen.load_from_buffer %1 : memref<24xf32, #hal.descriptor_type<storage_buffer>> -> tensor<24xf32>
          %5 = tensor.empty() : tensor<24xf32>
          %6 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%3, %4 : tensor<i64>, tensor<24xf32>) outs(%5 : tensor<24xf32>) attrs =  {lowering_config = #config7} {
          ^bb0(%in: i64, %in_0: f32, %out: f32):
            %7 = linalg.index 0 : index
            %8 = arith.divsi %7, %c3 : index
            %9 = arith.divsi %8, %c2 : index
            %10 = arith.index_cast %9 : index to i64
            %11 = arith.cmpi slt, %10, %in : i64
            %12 = arith.select %11, %in_0, %cst : f32
            linalg.yield %12 : f32
          } -> tensor<24xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<24xf32> into memref<24xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_4 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32 ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32() attributes {translation_info = #translation3} {
          %cst = arith.constant 0.000000e+00 : f32
          %c5 = arith.constant 5 : index
          %c2 = arith.constant 2 : index
          %c64 = arith.constant 64 : index
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 1472, umax = 1472, udiv = 1472>, <umin = 320, umax = 320, udiv = 320>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<50xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i64, #hal.descriptor_type<storage_buffer>>
          %5 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%2) flags(Indirect) : memref<40xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %4 : memref<i64, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %subview = memref.subview %3[0] [40] [1] : memref<50xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<40xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %subview : memref<40xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<40xf32>
          %8 = tensor.empty() : tensor<40xf32>
          %9 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%6, %7 : tensor<i64>, tensor<40xf32>) outs(%8 : tensor<40xf32>) attrs =  {lowering_config = #config8} {
          ^bb0(%in: i64, %in_0: f32, %out: f32):
            %10 = linalg.index 0 : index
            %11 = arith.divsi %10, %c5 : index
            %12 = arith.divsi %11, %c2 : index
            %13 = arith.index_cast %12 : index to i64
            %14 = arith.cmpi slt, %13, %in : i64
            %15 = arith.select %14, %in_0, %cst : f32
            linalg.yield %15 : f32
          } -> tensor<40xf32>
          iree_codegen.store_to_buffer %9, %5 : tensor<40xf32> into memref<40xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_5 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_5_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_5_slow_memcpy() attributes {translation_info = #translation1} {
          %c320 = arith.constant 320 : index
          %c1216 = arith.constant 1216 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>>
          %assume_align = memref.assume_alignment %0, 64 : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1216) flags(Indirect) : memref<4x2x8xf32, strided<[16, 8, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<4x2x8xf32, strided<[16, 8, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 0, 0] [4, 2, 3] [1, 1, 1] : memref<4x2x8xf32, strided<[16, 8, 1], offset: ?>> to memref<4x2x3xf32, strided<[16, 8, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%assume_align : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>>) outs(%subview : memref<4x2x3xf32, strided<[16, 8, 1], offset: ?>>) attrs =  {lowering_config = #config9} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_5_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_6 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_6_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_6_slow_memcpy() attributes {translation_info = #translation1} {
          %c1472 = arith.constant 1472 : index
          %c1216 = arith.constant 1216 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c1472) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %0, 64 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1216) flags(Indirect) : memref<4x2x8xf32, strided<[16, 8, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<4x2x8xf32, strided<[16, 8, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 0, 3] [4, 2, 5] [1, 1, 1] : memref<4x2x8xf32, strided<[16, 8, 1], offset: ?>> to memref<4x2x5xf32, strided<[16, 8, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%assume_align : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>) outs(%subview : memref<4x2x5xf32, strided<[16, 8, 1], offset: ?>>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_6_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_7 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c1216 = arith.constant 1216 : index
          %c576 = arith.constant 576 : index
          %c256 = arith.constant 256 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c1216) flags("ReadOnly|Indirect") : memref<8x8xf32, strided<[8, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c576) flags("ReadOnly|Indirect") : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c256) flags(Indirect) : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<8x8xf32, strided<[8, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x8xf32>
          %4 = iree_codegen.load_from_buffer %1 : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x20xf32>
          %5 = tensor.empty() : tensor<8x20xf32>
          %6 = linalg.fill {lowering_config = #config11} ins(%cst : f32) outs(%5 : tensor<8x20xf32>) -> tensor<8x20xf32>
          %7 = linalg.matmul indexing_maps = [#map12, #map13, #map7] {lowering_config = #config12} ins(%3, %4 : tensor<8x8xf32>, tensor<8x20xf32>) outs(%6 : tensor<8x20xf32>) -> tensor<8x20xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<8x20xf32> into memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_8 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c576 = arith.constant 576 : index
          %c896 = arith.constant 896 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c576) flags("ReadOnly|Indirect") : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c896) flags(Indirect) : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x20xf32>
          %3 = tensor.empty() : tensor<20xf32>
          %4 = linalg.fill {lowering_config = #config13} ins(%cst : f32) outs(%3 : tensor<20xf32>) -> tensor<20xf32>
          %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<8x20xf32>) outs(%4 : tensor<20xf32>) attrs =  {lowering_config = #config14} {
          ^bb0(%in: f32, %out: f32):
            %6 = arith.addf %out, %in : f32
            linalg.yield %6 : f32
          } -> tensor<20xf32>
          iree_codegen.store_to_buffer %5, %1 : tensor<20xf32> into memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_8_reduction_20x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_10 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32() attributes {translation_info = #translation3} {
          %c2 = arith.constant 2 : index
          %c5 = arith.constant 5 : index
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c1216 = arith.constant 1216 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i64, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<40xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c1216) flags(Indirect) : memref<40xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<i64, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %4 = iree_codegen.load_from_buffer %1 : memref<40xf32, #hal.descriptor_type<storage_buffer>> -> tensor<40xf32>
          %5 = tensor.empty() : tensor<40xf32>
          %6 = linalg.generic {indexing_maps = [#map9, #map10, #map10], iterator_types = ["parallel"]} ins(%3, %4 : tensor<i64>, tensor<40xf32>) outs(%5 : tensor<40xf32>) attrs =  {lowering_config = #config8} {
          ^bb0(%in: i64, %in_0: f32, %out: f32):
            %7 = linalg.index 0 : index
            %8 = arith.divsi %7, %c5 : index
            %9 = arith.divsi %8, %c2 : index
            %10 = arith.index_cast %9 : index to i64
            %11 = arith.cmpi slt, %10, %in : i64
            %12 = arith.select %11, %in_0, %cst : f32
            linalg.yield %12 : f32
          } -> tensor<40xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<40xf32> into memref<40xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_11 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c576 = arith.constant 576 : index
          %c320 = arith.constant 320 : index
          %c1024 = arith.constant 1024 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c576) flags("ReadOnly|Indirect") : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1024) flags(Indirect) : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %4 = tensor.empty() : tensor<5xf32>
          %subview = memref.subview %0[0, 0] [8, 5] [1, 1] : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<8x5xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<8x5xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %6 = linalg.fill {lowering_config = #config1} ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
          %7 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%6 : tensor<5xf32>) attrs =  {lowering_config = #config15} {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %8 = arith.mulf %in, %in_0 : f32
            %9 = arith.addf %out, %8 : f32
            linalg.yield %9 : f32
          } -> tensor<5xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<5xf32> into memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_12 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c576 = arith.constant 576 : index
          %c320 = arith.constant 320 : index
          %c1088 = arith.constant 1088 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c576) flags("ReadOnly|Indirect") : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1088) flags(Indirect) : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %4 = tensor.empty() : tensor<5xf32>
          %subview = memref.subview %0[0, 5] [8, 5] [1, 1] : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<8x5xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<8x5xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %6 = linalg.fill {lowering_config = #config1} ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
          %7 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%6 : tensor<5xf32>) attrs =  {lowering_config = #config15} {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %8 = arith.mulf %in, %in_0 : f32
            %9 = arith.addf %out, %8 : f32
            linalg.yield %9 : f32
          } -> tensor<5xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<5xf32> into memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @block_lstm_grad_v2_dispatch_13 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c576 = arith.constant 576 : index
          %c1216 = arith.constant 1216 : index
          %c1152 = arith.constant 1152 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c576) flags("ReadOnly|Indirect") : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c1216) flags("ReadOnly|Indirect") : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1152) flags(Indirect) : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %4 = tensor.empty() : tensor<5xf32>
          %subview = memref.subview %0[0, 15] [8, 5] [1, 1] : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<8x5xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<8x5xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %6 = linalg.fill {lowering_config = #config1} ins(%cst : f32) outs(%4 : tensor<5xf32>) -> tensor<5xf32>
          %7 = linalg.generic {indexing_maps = [#map2, #map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%5, %3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%6 : tensor<5xf32>) attrs =  {lowering_config = #config15} {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %8 = arith.mulf %in, %in_0 : f32
            %9 = arith.addf %out, %8 : f32
            linalg.yield %9 : f32
          } -> tensor<5xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<5xf32> into memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
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
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_0::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_0_elementwise {
          ro %arg18[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_1::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_1_transpose_5x20_f32 {
          ro %arg19[%c0 for %c640] : !stream.resource<external>{%c640},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.fill %c0_i8, %arg36[%c512 for %c40] : i8 -> !stream.resource<transient>{%c1664}
      }
      stream.cmd.dispatch @block_lstm_grad_v2_lstm_backward_loop::@embedded_elf_x86_64::@block_lstm_grad_v2_lstm_backward_loop {
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
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_2::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_2_matmul_8x3x20_f32 {
          ro %arg19[%c0 for %c640] : !stream.resource<external>{%c640},
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_3::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_3_elementwise_24_i64xf32xf32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          ro %arg32[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.copy %arg33[%c0], %arg36[%c64], %c40 : !stream.resource<external>{%c40} -> !stream.resource<transient>{%c1664}
        stream.cmd.copy %arg34[%c0], %arg36[%c104], %c160 : !stream.resource<external>{%c160} -> !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_4::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%c1472_i32 : i32) {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_5::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_5_slow_memcpy {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          rw %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
      }
      stream.cmd.dispatch @block_lstm_grad_v2_dispatch_6::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_6_slow_memcpy {
        ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
        rw %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_7::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_7_matmul_8x20x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_8::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_8_reduction_20x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.copy %arg26[%c0], %arg36[%c64], %c40 : !stream.resource<external>{%c40} -> !stream.resource<transient>{%c1664}
        stream.cmd.copy %arg25[%c0], %arg36[%c104], %c160 : !stream.resource<external>{%c160} -> !stream.resource<transient>{%c1664}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_4::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_4_elementwise_40_i64xf32xf32(%c320_i32 : i32) {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_10::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_10_elementwise_40_i64xf32xf32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          ro %arg25[%c0 for %c160] : !stream.resource<external>{%c160},
          wo %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_11::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_11_matvec_like_5x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_12::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_12_matvec_like_5x8_f32 {
          ro %arg36[%c0 for %c1664] : !stream.resource<transient>{%c1664},
          wo %arg35[%c0 for %c1216] : !stream.resource<external>{%c1216}
        }
        stream.cmd.dispatch @block_lstm_grad_v2_dispatch_13::@embedded_elf_x86_64::@block_lstm_grad_v2_dispatch_13_matvec_like_5x8_f32 {
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
  hal.executable private @block_lstm_grad_v2_lstm_backward_loop {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @block_lstm_grad_v2_lstm_backward_loop ordinal(0) layout(#pipeline_layout5) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @block_lstm_grad_v2_lstm_backward_loop() attributes {translation_info = #translation} {
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
          %0 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i64, #hal.descriptor_type<storage_buffer>>
          %1 = iree_codegen.load_from_buffer %0 : memref<i64, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %extracted = tensor.extract %1[] : tensor<i64>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %2 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %4 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(3) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %6 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(4) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %9 = iree_codegen.load_from_buffer %8 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %10 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(5) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %11 = iree_codegen.load_from_buffer %10 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %12 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(6) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %13 = iree_codegen.load_from_buffer %12 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %14 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(7) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %15 = iree_codegen.load_from_buffer %14 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %16 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(8) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %17 = iree_codegen.load_from_buffer %16 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %18 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(9) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %19 = iree_codegen.load_from_buffer %18 : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %20 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(10) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %21 = iree_codegen.load_from_buffer %20 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %22 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(11) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %23 = iree_codegen.load_from_buffer %22 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %24 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(12) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %25 = iree_codegen.load_from_buffer %24 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %26 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<20x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %27 = iree_codegen.load_from_buffer %26 : memref<20x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<20x5xf32>
          %28 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(0) alignment(64) offset(%c512) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %29 = iree_codegen.load_from_buffer %28 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %30 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(13) alignment(64) offset(%c576) flags(Indirect) : memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %31 = iree_codegen.load_from_buffer %30 : memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x20xf32>
          %32 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(14) alignment(64) offset(%c1216) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %33 = iree_codegen.load_from_buffer %32 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %34 = hal.interface.binding.subspan layout(#pipeline_layout5) binding(15) alignment(64) offset(%c1344) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %35 = iree_codegen.load_from_buffer %34 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %36 = arith.maxsi %extracted, %c0_i64 : i64
          %37 = arith.minsi %36, %c4_i64 : i64
          %38 = arith.index_cast %37 : i64 to index
          %39 = arith.remui %38, %c2 : index
          %inserted_slice = tensor.insert_slice %29 into %33[%39, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %inserted_slice_1 = tensor.insert_slice %29 into %35[%39, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %40:3 = scf.for %arg0 = %c0 to %38 step %c1 iter_args(%arg1 = %31, %arg2 = %inserted_slice, %arg3 = %inserted_slice_1) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %43 = arith.index_cast %arg0 : index to i64
            %44 = arith.subi %38, %arg0 : index
            %45 = arith.remui %44, %c2 : index
            %46 = arith.subi %c1, %45 : index
            %47 = arith.subi %extracted, %43 : i64
            %48 = arith.subi %47, %c1_i64 : i64
            %49 = arith.maxsi %48, %c0_i64 : i64
            %50 = arith.minsi %49, %c3_i64 : i64
            %51 = arith.index_cast %50 : i64 to index
            %52 = arith.cmpi eq, %48, %c0_i64 : i64
            %53 = arith.subi %47, %c2_i64 : i64
            %54:2 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %arg1, %arg6 = %arg2) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>) {
              %59 = vector.transfer_read %3[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %60 = arith.subf %cst_0, %59 : vector<5xf32>
              %61 = arith.mulf %59, %60 : vector<5xf32>
              %62 = vector.transfer_read %11[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %63 = arith.mulf %62, %62 : vector<5xf32>
              %64 = arith.subf %cst_0, %63 : vector<5xf32>
              %65 = vector.transfer_read %19[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %66 = vector.transfer_read %arg3[%45, %arg4, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %67 = arith.addf %65, %66 : vector<5xf32>
              %68 = arith.mulf %64, %67 : vector<5xf32>
              %69 = vector.transfer_read %7[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %70 = arith.mulf %68, %69 : vector<5xf32>
              %71 = vector.transfer_read %17[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %72 = vector.transfer_read %arg6[%45, %arg4, %c0], %cst {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %73 = arith.addf %71, %72 : vector<5xf32>
              %74 = arith.addf %70, %73 : vector<5xf32>
              %75 = arith.subf %cst_0, %69 : vector<5xf32>
              %76 = arith.mulf %69, %75 : vector<5xf32>
              %77 = arith.mulf %76, %67 : vector<5xf32>
              %78 = arith.mulf %77, %62 : vector<5xf32>
              %79 = vector.transfer_read %25[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %80 = arith.mulf %78, %79 : vector<5xf32>
              %81 = arith.addf %74, %80 : vector<5xf32>
              %82 = arith.mulf %61, %81 : vector<5xf32>
              %83 = vector.transfer_read %9[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %84 = arith.mulf %82, %83 : vector<5xf32>
              %85 = vector.transfer_read %5[%51, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %86 = arith.subf %cst_0, %85 : vector<5xf32>
              %87 = arith.mulf %85, %86 : vector<5xf32>
              %88 = arith.mulf %87, %81 : vector<5xf32>
              %89 = vector.broadcast %52 : i1 to vector<5xi1>
              %90 = vector.transfer_read %15[%arg4, %c0], %cst {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %91 = arith.maxsi %53, %c0_i64 : i64
              %92 = arith.minsi %91, %c3_i64 : i64
              %93 = arith.index_cast %92 : i64 to index
              %94 = vector.transfer_read %13[%93, %arg4, %c0], %cst {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %95 = arith.select %89, %90, %94 : vector<5xi1>, vector<5xf32>
              %96 = arith.mulf %88, %95 : vector<5xf32>
              %97 = arith.mulf %83, %83 : vector<5xf32>
              %98 = arith.subf %cst_0, %97 : vector<5xf32>
              %99 = arith.mulf %98, %81 : vector<5xf32>
              %100 = arith.mulf %99, %59 : vector<5xf32>
              %101 = arith.mulf %81, %85 : vector<5xf32>
              %102 = vector.transfer_read %21[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %103 = arith.mulf %84, %102 : vector<5xf32>
              %104 = vector.transfer_read %23[%c0], %cst {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %105 = arith.mulf %96, %104 : vector<5xf32>
              %106 = arith.addf %103, %105 : vector<5xf32>
              %107 = arith.addf %101, %106 : vector<5xf32>
              %108 = vector.transfer_write %84, %arg5[%51, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
              %109 = vector.transfer_write %96, %108[%51, %arg4, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
              %110 = vector.transfer_write %100, %109[%51, %arg4, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
              %111 = vector.transfer_write %78, %110[%51, %arg4, %c15] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x20xf32>
              %112 = vector.transfer_write %107, %arg6[%46, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %111, %112 : tensor<4x2x20xf32>, tensor<2x2x5xf32>
            }
            %extracted_slice = tensor.extract_slice %54#0[%51, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<4x2x20xf32> to tensor<2x20xf32>
            %55 = tensor.empty() : tensor<2x5xf32>
            %56 = linalg.fill {lowering_config = #config16} ins(%cst : f32) outs(%55 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %57 = linalg.matmul {lowering_config = #config17} ins(%extracted_slice, %27 : tensor<2x20xf32>, tensor<20x5xf32>) outs(%56 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %58 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %arg3) -> (tensor<2x2x5xf32>) {
              %59 = vector.transfer_read %57[%arg4, %c0], %cst {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %60 = vector.transfer_write %59, %arg5[%46, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %60 : tensor<2x2x5xf32>
            }
            scf.yield %54#0, %54#1, %58 : tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          %41 = arith.addi %38, %workgroup_id_x : index
          %42 = scf.for %arg0 = %41 to %c4 step %c1 iter_args(%arg1 = %40#0) -> (tensor<4x2x20xf32>) {
            %extracted_slice = tensor.extract_slice %arg1[%arg0, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<4x2x20xf32> to tensor<2x20xf32>
            %43 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x20xf32>) attrs =  {lowering_config = #config18} {
            ^bb0(%out: f32):
              linalg.yield %cst : f32
            } -> tensor<2x20xf32>
            %inserted_slice_2 = tensor.insert_slice %43 into %arg1[%arg0, 0, 0] [1, 2, 20] [1, 1, 1] : tensor<2x20xf32> into tensor<4x2x20xf32>
            scf.yield %inserted_slice_2 : tensor<4x2x20xf32>
          }
          iree_codegen.store_to_buffer %42, %30 : tensor<4x2x20xf32> into memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %40#1, %32 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %40#2, %34 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @block_lstm_grad_v2_lstm_backward_loop {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy() attributes {translation_info = #translation1} {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x3xf32>
          %assume_align = memref.assume_alignment %0, 64 : memref<2x3xf32>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<2x8xf32>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<2x8xf32>
          %subview = memref.subview %assume_align_0[0, 0] [2, 3] [1, 1] : memref<2x8xf32> to memref<2x3xf32, strided<[8, 1]>>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%assume_align : memref<2x3xf32>) outs(%subview : memref<2x3xf32, strided<[8, 1]>>) attrs =  {lowering_config = #config19} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_0_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_1 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy ordinal(0) layout(#pipeline_layout6) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy() attributes {translation_info = #translation1} {
          %0 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 0, umax = 0>, <umin = 128, umax = 128, udiv = 128>], 
              %3[<umin = 64, umax = 64, udiv = 64>, <umin = 0, umax = 0>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %5, 64 : memref<2x5xf32, strided<[5, 1], offset: ?>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(1) alignment(64) offset(%4#1) flags(Indirect) : memref<2x8xf32, strided<[8, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %6, 64 : memref<2x8xf32, strided<[8, 1], offset: ?>>
          %subview = memref.subview %assume_align_0[0, 3] [2, 5] [1, 1] : memref<2x8xf32, strided<[8, 1], offset: ?>> to memref<2x5xf32, strided<[8, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%assume_align : memref<2x5xf32, strided<[5, 1], offset: ?>>) outs(%subview : memref<2x5xf32, strided<[8, 1], offset: ?>>) attrs =  {lowering_config = #config} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_1_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_2 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c64 = arith.constant 64 : index
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<2x8xf32, strided<[8, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x10xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c0) flags(Indirect) : memref<8x10xf32, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<2x8xf32, strided<[8, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x8xf32>
          %4 = iree_codegen.load_from_buffer %1 : memref<2x10xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x10xf32>
          %5 = tensor.empty() : tensor<8x10xf32>
          %6 = linalg.fill {lowering_config = #config20} ins(%cst : f32) outs(%5 : tensor<8x10xf32>) -> tensor<8x10xf32>
          %7 = linalg.matmul indexing_maps = [#map12, #map13, #map7] {lowering_config = #config21} ins(%3, %4 : tensor<2x8xf32>, tensor<2x10xf32>) outs(%6 : tensor<8x10xf32>) -> tensor<8x10xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<8x10xf32> into memref<8x10xf32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_3 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %c128 = arith.constant 128 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<10xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<10xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c128) flags(Indirect) : memref<10xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<10xf32, #hal.descriptor_type<storage_buffer>> -> tensor<10xf32>
          %4 = iree_codegen.load_from_buffer %1 : memref<10xf32, #hal.descriptor_type<storage_buffer>> -> tensor<10xf32>
          %5 = tensor.empty() : tensor<10xf32>
          %6 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%3, %4 : tensor<10xf32>, tensor<10xf32>) outs(%5 : tensor<10xf32>) attrs =  {lowering_config = #config22} {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %7 = arith.mulf %in, %in_0 : f32
            linalg.yield %7 : f32
          } -> tensor<10xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<10xf32> into memref<10xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_5 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c320 = arith.constant 320 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x8xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c320) flags(Indirect) : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<2x8xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x8xf32>
          %4 = iree_codegen.load_from_buffer %1 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %5 = tensor.empty() : tensor<8x5xf32>
          %6 = linalg.fill {lowering_config = #config23} ins(%cst : f32) outs(%5 : tensor<8x5xf32>) -> tensor<8x5xf32>
          %7 = linalg.matmul indexing_maps = [#map12, #map13, #map7] {lowering_config = #config24} ins(%3, %4 : tensor<2x8xf32>, tensor<2x5xf32>) outs(%6 : tensor<8x5xf32>) -> tensor<8x5xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<8x5xf32> into memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_6 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c512 = arith.constant 512 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x10xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c512) flags(Indirect) : memref<10xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<2x10xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x10xf32>
          %3 = tensor.empty() : tensor<10xf32>
          %4 = linalg.fill {lowering_config = #config25} ins(%cst : f32) outs(%3 : tensor<10xf32>) -> tensor<10xf32>
          %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<2x10xf32>) outs(%4 : tensor<10xf32>) attrs =  {lowering_config = #config26} {
          ^bb0(%in: f32, %out: f32):
            %6 = arith.addf %out, %in : f32
            linalg.yield %6 : f32
          } -> tensor<10xf32>
          iree_codegen.store_to_buffer %5, %1 : tensor<10xf32> into memref<10xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @gru_block_cell_parameter_grad_dispatch_7 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c576 = arith.constant 576 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c576) flags(Indirect) : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %3 = tensor.empty() : tensor<5xf32>
          %4 = linalg.fill {lowering_config = #config25} ins(%cst : f32) outs(%3 : tensor<5xf32>) -> tensor<5xf32>
          %5 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<2x5xf32>) outs(%4 : tensor<5xf32>) attrs =  {lowering_config = #config26} {
          ^bb0(%in: f32, %out: f32):
            %6 = arith.addf %out, %in : f32
            linalg.yield %6 : f32
          } -> tensor<5xf32>
          iree_codegen.store_to_buffer %5, %1 : tensor<5xf32> into memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
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
      stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_0::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_0_slow_memcpy {
        ro %arg5[%c0 for %c24] : !stream.resource<external>{%c24},
        rw %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
      }
      stream.cmd.copy %arg11[%c0], %arg11[%c64], %c64 : !stream.resource<transient>{%c192} -> !stream.resource<transient>{%c192}
      stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_1::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%c0_i32, %c64_i32 : i32, i32) {
        ro %arg6[%c0 for %c40] : !stream.resource<external>{%c40},
        rw %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_2::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_2_matmul_8x10x2_f32 {
          ro %arg11[%c0 for %c192] : !stream.resource<transient>{%c192},
          ro %arg7[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_3::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_3_elementwise_10_f32 {
          ro %arg8[%c0 for %c40] : !stream.resource<external>{%c40},
          ro %arg6[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
        }
      }
      stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_1::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_1_slow_memcpy(%c128_i32, %c0_i32 : i32, i32) {
        ro %arg11[%c0 for %c192] : !stream.resource<transient>{%c192},
        rw %arg11[%c0 for %c192] : !stream.resource<transient>{%c192}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_5::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_5_matmul_8x5x2_f32 {
          ro %arg11[%c0 for %c192] : !stream.resource<transient>{%c192},
          ro %arg9[%c0 for %c40] : !stream.resource<external>{%c40},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_6::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_6_reduction_10x2_f32 {
          ro %arg7[%c0 for %c80] : !stream.resource<external>{%c80},
          wo %arg10[%c0 for %c640] : !stream.resource<external>{%c640}
        }
        stream.cmd.dispatch @gru_block_cell_parameter_grad_dispatch_7::@embedded_elf_x86_64::@gru_block_cell_parameter_grad_dispatch_7_reduction_5x2_f32 {
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
  hal.executable private @onnx_lstm_prepack_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepack_dispatch_0_elementwise_20_f32 ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepack_dispatch_0_elementwise_20_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x40xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%2) flags(Indirect) : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = tensor.empty() : tensor<20xf32>
          %subview = memref.subview %3[0, 20] [1, 20] [1, 1] : memref<2x40xf32, #hal.descriptor_type<storage_buffer>> to memref<20xf32, strided<[1], offset: 20>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %subview : memref<20xf32, strided<[1], offset: 20>, #hal.descriptor_type<storage_buffer>> -> tensor<20xf32>
          %subview_0 = memref.subview %3[0, 0] [1, 20] [1, 1] : memref<2x40xf32, #hal.descriptor_type<storage_buffer>> to memref<20xf32, strided<[1]>, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %subview_0 : memref<20xf32, strided<[1]>, #hal.descriptor_type<storage_buffer>> -> tensor<20xf32>
          %8 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%7, %6 : tensor<20xf32>, tensor<20xf32>) outs(%5 : tensor<20xf32>) attrs =  {lowering_config = #config27} {
          ^bb0(%in: f32, %in_1: f32, %out: f32):
            %9 = arith.addf %in, %in_1 : f32
            linalg.yield %9 : f32
          } -> tensor<20xf32>
          iree_codegen.store_to_buffer %8, %4 : tensor<20xf32> into memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepack_dispatch_0_elementwise_20_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepack_dispatch_1 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32 ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 128, umax = 128, udiv = 128>, <umin = 960, umax = 960, udiv = 960>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x20x5xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%2) flags(Indirect) : memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = tensor.empty() : tensor<5x20xf32>
          %subview = memref.subview %3[0, 0, 0] [1, 20, 5] [1, 1, 1] : memref<2x20x5xf32, #hal.descriptor_type<storage_buffer>> to memref<20x5xf32, strided<[5, 1]>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %subview : memref<20x5xf32, strided<[5, 1]>, #hal.descriptor_type<storage_buffer>> -> tensor<20x5xf32>
          %7 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<20x5xf32>) outs(%5 : tensor<5x20xf32>) attrs =  {lowering_config = #config28} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          } -> tensor<5x20xf32>
          iree_codegen.store_to_buffer %7, %4 : tensor<5x20xf32> into memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepack_dispatch_1_transpose_20x5_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepack_dispatch_2 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepack_dispatch_2_elementwise_20_f32 ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepack_dispatch_2_elementwise_20_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 576, umax = 576, udiv = 576>, <umin = 2496, umax = 2496, udiv = 2496>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x40xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%2) flags(Indirect) : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = tensor.empty() : tensor<20xf32>
          %subview = memref.subview %3[1, 20] [1, 20] [1, 1] : memref<2x40xf32, #hal.descriptor_type<storage_buffer>> to memref<20xf32, strided<[1], offset: 60>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %subview : memref<20xf32, strided<[1], offset: 60>, #hal.descriptor_type<storage_buffer>> -> tensor<20xf32>
          %subview_0 = memref.subview %3[1, 0] [1, 20] [1, 1] : memref<2x40xf32, #hal.descriptor_type<storage_buffer>> to memref<20xf32, strided<[1], offset: 40>, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %subview_0 : memref<20xf32, strided<[1], offset: 40>, #hal.descriptor_type<storage_buffer>> -> tensor<20xf32>
          %8 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%7, %6 : tensor<20xf32>, tensor<20xf32>) outs(%5 : tensor<20xf32>) attrs =  {lowering_config = #config27} {
          ^bb0(%in: f32, %in_1: f32, %out: f32):
            %9 = arith.addf %in, %in_1 : f32
            linalg.yield %9 : f32
          } -> tensor<20xf32>
          iree_codegen.store_to_buffer %8, %4 : tensor<20xf32> into memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepack_dispatch_2_elementwise_20_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepack_dispatch_3 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32 ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 704, umax = 704, udiv = 704>, <umin = 2624, umax = 2624, udiv = 2624>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x20x5xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%2) flags(Indirect) : memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = tensor.empty() : tensor<5x20xf32>
          %subview = memref.subview %3[1, 0, 0] [1, 20, 5] [1, 1, 1] : memref<2x20x5xf32, #hal.descriptor_type<storage_buffer>> to memref<20x5xf32, strided<[5, 1], offset: 100>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %subview : memref<20x5xf32, strided<[5, 1], offset: 100>, #hal.descriptor_type<storage_buffer>> -> tensor<20x5xf32>
          %7 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<20x5xf32>) outs(%5 : tensor<5x20xf32>) attrs =  {lowering_config = #config28} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          } -> tensor<5x20xf32>
          iree_codegen.store_to_buffer %7, %4 : tensor<5x20xf32> into memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepack_dispatch_3_transpose_20x5_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
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
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_0::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%c0_i32 : i32) {
          ro %arg4[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_1::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%c128_i32 : i32) {
          ro %arg5[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_2::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%c576_i32 : i32) {
          ro %arg4[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg6[%c0 for %c1152] : !stream.resource<external>{%c1152}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_3::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%c704_i32 : i32) {
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
  hal.executable private @onnx_lstm_prepacked_dispatch_0 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_0_reduction_2_i32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_0_reduction_2_i32() attributes {translation_info = #translation} {
          %c0_i32 = arith.constant 0 : i32
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2xi32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<i32, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<2xi32, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %3 = tensor.empty() : tensor<i32>
          %4 = linalg.fill ins(%c0_i32 : i32) outs(%3 : tensor<i32>) -> tensor<i32>
          %5 = linalg.generic {indexing_maps = [#map10, #map9], iterator_types = ["reduction"]} ins(%2 : tensor<2xi32>) outs(%4 : tensor<i32>) attrs =  {lowering_config = #config29} {
          ^bb0(%in: i32, %out: i32):
            %6 = arith.maxsi %out, %in : i32
            linalg.yield %6 : i32
          } -> tensor<i32>
          iree_codegen.store_to_buffer %5, %1 : tensor<i32> into memref<i32, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepacked_dispatch_1 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_1_elementwise ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_1_elementwise() attributes {translation_info = #translation2} {
          %c4_i32 = arith.constant 4 : i32
          %c0 = arith.constant 0 : index
          %c0_i32 = arith.constant 0 : i32
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 64, umax = 64, udiv = 64>, <umin = 64, umax = 64, udiv = 64>, <umin = 384, umax = 384, udiv = 384>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<i32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%2) flags(Indirect) : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %3 : memref<i32, #hal.descriptor_type<storage_buffer>> -> tensor<i32>
          %6 = tensor.empty() : tensor<i64>
          %7 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%5 : tensor<i32>) outs(%6 : tensor<i64>) attrs =  {lowering_config = #config3} {
          ^bb0(%in: i32, %out: i64):
            %8 = arith.maxsi %in, %c0_i32 : i32
            %9 = arith.minui %8, %c4_i32 : i32
            %10 = arith.extsi %9 : i32 to i64
            linalg.yield %10 : i64
          } -> tensor<i64>
          iree_codegen.store_to_buffer %7, %4 : tensor<i64> into memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_1_elementwise {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepacked_dispatch_2 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64() attributes {translation_info = #translation} {
          %c0_i32 = arith.constant 0 : i32
          %c4_i32 = arith.constant 4 : i32
          %c0 = arith.constant 0 : index
          %c128 = arith.constant 128 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2xi32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c128) flags(Indirect) : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<2xi32, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %3 = tensor.empty() : tensor<2xi64>
          %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%2 : tensor<2xi32>) outs(%3 : tensor<2xi64>) attrs =  {lowering_config = #config30} {
          ^bb0(%in: i32, %out: i64):
            %5 = arith.maxsi %in, %c0_i32 : i32
            %6 = arith.minui %5, %c4_i32 : i32
            %7 = arith.extsi %6 : i32 to i64
            linalg.yield %7 : i64
          } -> tensor<2xi64>
          iree_codegen.store_to_buffer %4, %1 : tensor<2xi64> into memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepacked_dispatch_3 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c192 = arith.constant 192 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x20x3xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<8x3xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c192) flags(Indirect) : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<8x3xf32, #hal.descriptor_type<storage_buffer>> -> tensor<8x3xf32>
          %4 = tensor.empty() : tensor<8x20xf32>
          %subview = memref.subview %0[0, 0, 0] [1, 20, 3] [1, 1, 1] : memref<2x20x3xf32, #hal.descriptor_type<storage_buffer>> to memref<20x3xf32, strided<[3, 1]>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<20x3xf32, strided<[3, 1]>, #hal.descriptor_type<storage_buffer>> -> tensor<20x3xf32>
          %6 = linalg.fill {lowering_config = #config11} ins(%cst : f32) outs(%4 : tensor<8x20xf32>) -> tensor<8x20xf32>
          %7 = linalg.matmul indexing_maps = [#map5, #map6, #map7] {lowering_config = #config31} ins(%3, %5 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%6 : tensor<8x20xf32>) -> tensor<8x20xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<8x20xf32> into memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepacked_dispatch_4 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32 ordinal(0) layout(#pipeline_layout7) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout7) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 1856, umax = 1856, udiv = 1856>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout7) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x20x3xf32, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout7) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<8x3xf32, #hal.descriptor_type<storage_buffer>>
          %5 = hal.interface.binding.subspan layout(#pipeline_layout7) binding(2) alignment(64) offset(%2) flags(Indirect) : memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %4 : memref<8x3xf32, #hal.descriptor_type<storage_buffer>> -> tensor<8x3xf32>
          %7 = tensor.empty() : tensor<8x20xf32>
          %subview = memref.subview %3[1, 0, 0] [1, 20, 3] [1, 1, 1] : memref<2x20x3xf32, #hal.descriptor_type<storage_buffer>> to memref<20x3xf32, strided<[3, 1], offset: 60>, #hal.descriptor_type<storage_buffer>>
          %8 = iree_codegen.load_from_buffer %subview : memref<20x3xf32, strided<[3, 1], offset: 60>, #hal.descriptor_type<storage_buffer>> -> tensor<20x3xf32>
          %9 = linalg.fill {lowering_config = #config11} ins(%cst : f32) outs(%7 : tensor<8x20xf32>) -> tensor<8x20xf32>
          %10 = linalg.matmul indexing_maps = [#map5, #map6, #map7] {lowering_config = #config31} ins(%6, %8 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%9 : tensor<8x20xf32>) -> tensor<8x20xf32>
          iree_codegen.store_to_buffer %10, %5 : tensor<8x20xf32> into memref<8x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepacked_dispatch_5 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_5_slow_memcpy ordinal(0) layout(#pipeline_layout4) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_5_slow_memcpy() attributes {translation_info = #translation1} {
          %c0 = arith.constant 0 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout4) ordinal(0) : i32
          %1 = arith.index_castui %0 : i32 to index
          %2 = util.assume.int %1[<umin = 832, umax = 832, udiv = 832>, <umin = 1408, umax = 1408, udiv = 1408>] : index
          %3 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(0) alignment(64) offset(%2) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %3, 64 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout4) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<4x2x2x5xf32>
          %assume_align_0 = memref.assume_alignment %4, 64 : memref<4x2x2x5xf32>
          %subview = memref.subview %assume_align_0[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : memref<4x2x2x5xf32> to memref<4x2x5xf32, strided<[20, 5, 1]>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%assume_align : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>) outs(%subview : memref<4x2x5xf32, strided<[20, 5, 1]>>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_5_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_prepacked_dispatch_6 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_prepacked_dispatch_6_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_prepacked_dispatch_6_slow_memcpy() attributes {translation_info = #translation1} {
          %c192 = arith.constant 192 : index
          %c0 = arith.constant 0 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c192) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %assume_align = memref.assume_alignment %0, 64 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c0) flags(Indirect) : memref<4x2x2x5xf32>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<4x2x2x5xf32>
          %subview = memref.subview %assume_align_0[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : memref<4x2x2x5xf32> to memref<4x2x5xf32, strided<[20, 5, 1], offset: 10>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%assume_align : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>) outs(%subview : memref<4x2x5xf32, strided<[20, 5, 1], offset: 10>>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_prepacked_dispatch_6_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
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
      stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_0::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
        ro %arg14[%c0 for %c8] : !stream.resource<external>{%c8},
        wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_1::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_1_elementwise(%c64_i32 : i32) {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_2::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 {
          ro %arg14[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_3::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 {
          ro %arg15[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg16[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_loop::@embedded_elf_x86_64::@onnx_lstm_lstm_forward_loop(%c0_i32, %c0_i32, %c832_i32, %c1024_i32, %c1152_i32 : i32, i32, i32, i32, i32) {
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
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_4::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%c1280_i32 : i32) {
          ro %arg15[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg16[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_3_loop::@embedded_elf_x86_64::@onnx_lstm_lstm_forward_3_loop(%c1280_i32, %c0_i32, %c0_i32 : i32, i32, i32) {
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
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_5::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_5_slow_memcpy(%c832_i32 : i32) {
          ro %arg25[%c0 for %c1920] : !stream.resource<transient>{%c1920},
          rw %arg24[%c0 for %c576] : !stream.resource<external>{%c576}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_6::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_6_slow_memcpy {
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
      stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_0::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
        ro %arg8[%c0 for %c8] : !stream.resource<external>{%c8},
        wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_1::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_1_elementwise(%c64_i32 : i32) {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_2::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_2_elementwise_2_i32xi64 {
          ro %arg8[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_3::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_3_matmul_8x20x3_f32 {
          ro %arg9[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg10[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_0::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_0_elementwise_20_f32(%c832_i32 : i32) {
          ro %arg11[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_1::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_1_transpose_20x5_f32(%c960_i32 : i32) {
          ro %arg12[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_loop::@embedded_elf_x86_64::@onnx_lstm_lstm_forward_loop(%c832_i32, %c960_i32, %c1408_i32, %c1600_i32, %c1728_i32 : i32, i32, i32, i32, i32) {
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
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_4::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_4_matmul_8x20x3_f32(%c1856_i32 : i32) {
          ro %arg9[%c0 for %c480] : !stream.resource<external>{%c480},
          ro %arg10[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_2::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_2_elementwise_20_f32(%c2496_i32 : i32) {
          ro %arg11[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
        stream.cmd.dispatch @onnx_lstm_prepack_dispatch_3::@embedded_elf_x86_64::@onnx_lstm_prepack_dispatch_3_transpose_20x5_f32(%c2624_i32 : i32) {
          ro %arg12[%c0 for %c800] : !stream.resource<external>{%c800},
          wo %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_lstm_forward_3_loop::@embedded_elf_x86_64::@onnx_lstm_lstm_forward_3_loop(%c1856_i32, %c2496_i32, %c2624_i32 : i32, i32, i32) {
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
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_5::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_5_slow_memcpy(%c1408_i32 : i32) {
          ro %arg17[%c0 for %c3072] : !stream.resource<transient>{%c3072},
          rw %arg16[%c0 for %c576] : !stream.resource<external>{%c576}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_6::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_6_slow_memcpy {
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
  hal.executable private @onnx_lstm_lstm_forward_loop {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_lstm_forward_loop ordinal(0) layout(#pipeline_layout8) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_lstm_forward_loop() attributes {translation_info = #translation} {
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
          %c64 = arith.constant 64 : index
          %c192 = arith.constant 192 : index
          %c128 = arith.constant 128 : index
          %c20 = arith.constant 20 : index
          %c40 = arith.constant 40 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout8) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout8) ordinal(1) : i32
          %2 = hal.interface.constant.load layout(#pipeline_layout8) ordinal(2) : i32
          %3 = hal.interface.constant.load layout(#pipeline_layout8) ordinal(3) : i32
          %4 = hal.interface.constant.load layout(#pipeline_layout8) ordinal(4) : i32
          %5 = arith.index_castui %0 : i32 to index
          %6 = arith.index_castui %1 : i32 to index
          %7 = arith.index_castui %2 : i32 to index
          %8 = arith.index_castui %3 : i32 to index
          %9 = arith.index_castui %4 : i32 to index
          %10:5 = util.assume.int 
              %5[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>], 
              %6[<umin = 0, umax = 0>, <umin = 960, umax = 960, udiv = 960>], 
              %7[<umin = 832, umax = 832, udiv = 832>, <umin = 1408, umax = 1408, udiv = 1408>], 
              %8[<umin = 1024, umax = 1024, udiv = 1024>, <umin = 1600, umax = 1600, udiv = 1600>], 
              %9[<umin = 1152, umax = 1152, udiv = 1152>, <umin = 1728, umax = 1728, udiv = 1728>]
            : index, index, index, index, index
          %11 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %12 = iree_codegen.load_from_buffer %11 : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %extracted = tensor.extract %12[] : tensor<i64>
          %13 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(0) alignment(64) offset(%c192) flags("ReadOnly|Indirect") : memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %14 = iree_codegen.load_from_buffer %13 : memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x20xf32>
          %15 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<5xf32, #hal.descriptor_type<storage_buffer>>
          %16 = iree_codegen.load_from_buffer %15 : memref<5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %17 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(1) alignment(64) offset(%c20) flags("ReadOnly|Indirect") : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %18 = iree_codegen.load_from_buffer %17 : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %19 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(1) alignment(64) offset(%c40) flags("ReadOnly|Indirect") : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %20 = iree_codegen.load_from_buffer %19 : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %21 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(0) alignment(64) offset(%c128) flags("ReadOnly|Indirect") : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %22 = iree_codegen.load_from_buffer %21 : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi64>
          %23 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(2) alignment(64) offset(%10#0) flags("ReadOnly|Indirect") : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %24 = iree_codegen.load_from_buffer %23 : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<20xf32>
          %25 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(3) alignment(64) offset(%10#1) flags("ReadOnly|Indirect") : memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %26 = iree_codegen.load_from_buffer %25 : memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5x20xf32>
          %27 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(4) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %28 = iree_codegen.load_from_buffer %27 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %29 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(5) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %30 = iree_codegen.load_from_buffer %29 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %31 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(6) alignment(64) offset(%10#2) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %32 = iree_codegen.load_from_buffer %31 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %33 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(7) alignment(64) offset(%10#3) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %34 = iree_codegen.load_from_buffer %33 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %35 = hal.interface.binding.subspan layout(#pipeline_layout8) binding(8) alignment(64) offset(%10#4) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %36 = iree_codegen.load_from_buffer %35 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %37 = arith.maxsi %extracted, %c0_i64 : i64
          %38 = arith.minsi %37, %c4_i64 : i64
          %39 = arith.index_cast %38 : i64 to index
          %40 = arith.remui %39, %c2 : index
          %inserted_slice = tensor.insert_slice %28 into %34[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %inserted_slice_7 = tensor.insert_slice %30 into %36[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %41:3 = scf.for %arg0 = %c0 to %39 step %c1 iter_args(%arg1 = %32, %arg2 = %inserted_slice, %arg3 = %inserted_slice_7) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %44 = arith.index_cast %arg0 : index to i64
            %45 = arith.subi %39, %arg0 : index
            %46 = arith.remui %45, %c2 : index
            %47 = arith.subi %c1, %46 : index
            %48 = arith.maxsi %44, %c0_i64 : i64
            %49 = arith.minsi %48, %c3_i64 : i64
            %50 = arith.index_cast %49 : i64 to index
            %extracted_slice = tensor.extract_slice %arg2[%46, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
            %51 = tensor.empty() : tensor<2x20xf32>
            %52 = linalg.fill {lowering_config = #config32} ins(%cst_6 : f32) outs(%51 : tensor<2x20xf32>) -> tensor<2x20xf32>
            %53 = linalg.matmul {lowering_config = #config33} ins(%extracted_slice, %26 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%52 : tensor<2x20xf32>) -> tensor<2x20xf32>
            %54:3 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %arg1, %arg6 = %arg2, %arg7 = %arg3) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
              %extracted_8 = tensor.extract %22[%arg4] : tensor<2xi64>
              %55 = vector.broadcast %extracted_8 : i64 to vector<5xi64>
              %56 = vector.broadcast %44 : i64 to vector<5xi64>
              %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
              %58 = vector.transfer_read %14[%50, %arg4, %c5], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %59 = vector.transfer_read %24[%c5], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %60 = arith.addf %58, %59 : vector<5xf32>
              %61 = vector.transfer_read %53[%arg4, %c5], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %62 = arith.addf %60, %61 : vector<5xf32>
              %63 = vector.transfer_read %14[%50, %arg4, %c0], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %64 = vector.transfer_read %24[%c0], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %65 = arith.addf %63, %64 : vector<5xf32>
              %66 = vector.transfer_read %53[%arg4, %c0], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %67 = arith.addf %65, %66 : vector<5xf32>
              %68 = vector.transfer_read %arg7[%46, %arg4, %c0], %cst_6 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %69 = vector.transfer_read %16[%c0], %cst_6 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %70 = arith.mulf %68, %69 : vector<5xf32>
              %71 = arith.addf %67, %70 : vector<5xf32>
              %72 = arith.maximumf %71, %cst_4 : vector<5xf32>
              %73 = arith.minimumf %72, %cst_3 : vector<5xf32>
              %74 = arith.mulf %73, %cst_2 : vector<5xf32>
              %75 = arith.addf %74, %cst_1 : vector<5xf32>
              %76 = arith.maximumf %75, %cst_5 : vector<5xf32>
              %77 = arith.minimumf %76, %cst_0 : vector<5xf32>
              %78 = vector.transfer_read %14[%50, %arg4, %c15], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %79 = vector.transfer_read %24[%c15], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %80 = arith.addf %78, %79 : vector<5xf32>
              %81 = vector.transfer_read %53[%arg4, %c15], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %82 = arith.addf %80, %81 : vector<5xf32>
              %83 = arith.maximumf %82, %cst_4 : vector<5xf32>
              %84 = arith.minimumf %83, %cst_3 : vector<5xf32>
              %85 = math.absf %84 : vector<5xf32>
              %86 = arith.addf %85, %cst_0 : vector<5xf32>
              %87 = arith.divf %84, %86 : vector<5xf32>
              %88 = arith.mulf %77, %87 : vector<5xf32>
              %89 = vector.transfer_read %14[%50, %arg4, %c10], %cst_6 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %90 = vector.transfer_read %24[%c10], %cst_6 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %91 = arith.addf %89, %90 : vector<5xf32>
              %92 = vector.transfer_read %53[%arg4, %c10], %cst_6 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %93 = arith.addf %91, %92 : vector<5xf32>
              %94 = vector.transfer_read %20[%c0], %cst_6 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %95 = arith.mulf %68, %94 : vector<5xf32>
              %96 = arith.addf %93, %95 : vector<5xf32>
              %97 = arith.maximumf %96, %cst_4 : vector<5xf32>
              %98 = arith.minimumf %97, %cst_3 : vector<5xf32>
              %99 = arith.mulf %98, %cst_2 : vector<5xf32>
              %100 = arith.addf %99, %cst_1 : vector<5xf32>
              %101 = arith.maximumf %100, %cst_5 : vector<5xf32>
              %102 = arith.minimumf %101, %cst_0 : vector<5xf32>
              %103 = arith.mulf %102, %68 : vector<5xf32>
              %104 = arith.addf %88, %103 : vector<5xf32>
              %105 = vector.transfer_read %18[%c0], %cst_6 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %106 = arith.mulf %104, %105 : vector<5xf32>
              %107 = arith.addf %62, %106 : vector<5xf32>
              %108 = arith.maximumf %107, %cst_4 : vector<5xf32>
              %109 = arith.minimumf %108, %cst_3 : vector<5xf32>
              %110 = arith.mulf %109, %cst_2 : vector<5xf32>
              %111 = arith.addf %110, %cst_1 : vector<5xf32>
              %112 = arith.maximumf %111, %cst_5 : vector<5xf32>
              %113 = arith.minimumf %112, %cst_0 : vector<5xf32>
              %114 = arith.cmpf oge, %104, %cst_5 : vector<5xf32>
              %115 = arith.minimumf %104, %cst_5 : vector<5xf32>
              %116 = math.exp %115 : vector<5xf32>
              %117 = arith.subf %116, %cst_0 : vector<5xf32>
              %118 = arith.mulf %117, %cst : vector<5xf32>
              %119 = arith.select %114, %104, %118 : vector<5xi1>, vector<5xf32>
              %120 = arith.mulf %113, %119 : vector<5xf32>
              %121 = arith.select %57, %120, %cst_5 : vector<5xi1>, vector<5xf32>
              %122 = vector.transfer_read %arg6[%46, %arg4, %c0], %cst_6 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %123 = arith.select %57, %120, %122 : vector<5xi1>, vector<5xf32>
              %124 = arith.select %57, %104, %68 : vector<5xi1>, vector<5xf32>
              %125 = vector.transfer_write %121, %arg5[%50, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x5xf32>
              %126 = vector.transfer_write %123, %arg6[%47, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              %127 = vector.transfer_write %124, %arg7[%47, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %125, %126, %127 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
            }
            scf.yield %54#0, %54#1, %54#2 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          %42 = arith.addi %39, %workgroup_id_x : index
          %43 = scf.for %arg0 = %42 to %c4 step %c1 iter_args(%arg1 = %41#0) -> (tensor<4x2x5xf32>) {
            %extracted_slice = tensor.extract_slice %arg1[%arg0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<2x5xf32>
            %44 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x5xf32>) attrs =  {lowering_config = #config34} {
            ^bb0(%out: f32):
              linalg.yield %cst_6 : f32
            } -> tensor<2x5xf32>
            %inserted_slice_8 = tensor.insert_slice %44 into %arg1[%arg0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
            scf.yield %inserted_slice_8 : tensor<4x2x5xf32>
          }
          iree_codegen.store_to_buffer %43, %31 : tensor<4x2x5xf32> into memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %41#1, %33 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %41#2, %35 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_lstm_forward_loop {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_lstm_lstm_forward_3_loop {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_lstm_lstm_forward_3_loop ordinal(0) layout(#pipeline_layout9) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @onnx_lstm_lstm_forward_3_loop() attributes {translation_info = #translation} {
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
          %c64 = arith.constant 64 : index
          %c128 = arith.constant 128 : index
          %c60 = arith.constant 60 : index
          %c80 = arith.constant 80 : index
          %c100 = arith.constant 100 : index
          %c40 = arith.constant 40 : index
          %c192 = arith.constant 192 : index
          %c384 = arith.constant 384 : index
          %c512 = arith.constant 512 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout9) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout9) ordinal(1) : i32
          %2 = hal.interface.constant.load layout(#pipeline_layout9) ordinal(2) : i32
          %3 = arith.index_castui %0 : i32 to index
          %4 = arith.index_castui %1 : i32 to index
          %5 = arith.index_castui %2 : i32 to index
          %6:3 = util.assume.int 
              %3[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 1856, umax = 1856, udiv = 1856>], 
              %4[<umin = 0, umax = 0>, <umin = 2496, umax = 2496, udiv = 2496>], 
              %5[<umin = 0, umax = 0>, <umin = 2624, umax = 2624, udiv = 2624>]
            : index, index, index
          %7 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = iree_codegen.load_from_buffer %7 : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %extracted = tensor.extract %8[] : tensor<i64>
          %9 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(0) alignment(64) offset(%6#0) flags("ReadOnly|Indirect") : memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %10 = iree_codegen.load_from_buffer %9 : memref<4x2x20xf32, strided<[40, 20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x20xf32>
          %11 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(1) alignment(64) offset(%c60) flags("ReadOnly|Indirect") : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %12 = iree_codegen.load_from_buffer %11 : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %13 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(1) alignment(64) offset(%c80) flags("ReadOnly|Indirect") : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %14 = iree_codegen.load_from_buffer %13 : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %15 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(1) alignment(64) offset(%c100) flags("ReadOnly|Indirect") : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %16 = iree_codegen.load_from_buffer %15 : memref<5xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5xf32>
          %17 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(0) alignment(64) offset(%c128) flags("ReadOnly|Indirect") : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %18 = iree_codegen.load_from_buffer %17 : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi64>
          %19 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(2) alignment(64) offset(%6#1) flags("ReadOnly|Indirect") : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %20 = iree_codegen.load_from_buffer %19 : memref<20xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<20xf32>
          %21 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(3) alignment(64) offset(%6#2) flags("ReadOnly|Indirect") : memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %22 = iree_codegen.load_from_buffer %21 : memref<5x20xf32, strided<[20, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5x20xf32>
          %23 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(4) alignment(64) offset(%c40) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %24 = iree_codegen.load_from_buffer %23 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %25 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(5) alignment(64) offset(%c40) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %26 = iree_codegen.load_from_buffer %25 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %27 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(6) alignment(64) offset(%c192) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %28 = iree_codegen.load_from_buffer %27 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %29 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(7) alignment(64) offset(%c384) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %30 = iree_codegen.load_from_buffer %29 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %31 = hal.interface.binding.subspan layout(#pipeline_layout9) binding(8) alignment(64) offset(%c512) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %32 = iree_codegen.load_from_buffer %31 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %33 = arith.maxsi %extracted, %c0_i64 : i64
          %34 = arith.minsi %33, %c4_i64 : i64
          %35 = arith.index_cast %34 : i64 to index
          %36 = arith.remui %35, %c2 : index
          %inserted_slice = tensor.insert_slice %24 into %30[%36, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %inserted_slice_18 = tensor.insert_slice %26 into %32[%36, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %37:3 = scf.for %arg0 = %c0 to %35 step %c1 iter_args(%arg1 = %28, %arg2 = %inserted_slice, %arg3 = %inserted_slice_18) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %40 = arith.index_cast %arg0 : index to i64
            %41 = arith.subi %35, %arg0 : index
            %42 = arith.remui %41, %c2 : index
            %43 = arith.subi %c1, %42 : index
            %44 = arith.subi %extracted, %40 : i64
            %45 = arith.subi %44, %c1_i64 : i64
            %46 = arith.maxsi %45, %c0_i64 : i64
            %47 = arith.minsi %46, %c3_i64 : i64
            %48 = arith.index_cast %47 : i64 to index
            %extracted_slice = tensor.extract_slice %arg2[%42, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
            %49 = tensor.empty() : tensor<2x20xf32>
            %50 = linalg.fill {lowering_config = #config32} ins(%cst_17 : f32) outs(%49 : tensor<2x20xf32>) -> tensor<2x20xf32>
            %51 = linalg.matmul {lowering_config = #config33} ins(%extracted_slice, %22 : tensor<2x5xf32>, tensor<5x20xf32>) outs(%50 : tensor<2x20xf32>) -> tensor<2x20xf32>
            %52:3 = scf.for %arg4 = %c0 to %c2 step %c1 iter_args(%arg5 = %arg1, %arg6 = %arg2, %arg7 = %arg3) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
              %extracted_19 = tensor.extract %18[%arg4] : tensor<2xi64>
              %53 = vector.broadcast %extracted_19 : i64 to vector<5xi64>
              %54 = vector.broadcast %45 : i64 to vector<5xi64>
              %55 = arith.cmpi sgt, %53, %54 : vector<5xi64>
              %56 = vector.transfer_read %10[%48, %arg4, %c5], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %57 = vector.transfer_read %20[%c5], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %58 = arith.addf %56, %57 : vector<5xf32>
              %59 = vector.transfer_read %51[%arg4, %c5], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %60 = arith.addf %58, %59 : vector<5xf32>
              %61 = vector.transfer_read %10[%48, %arg4, %c0], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %62 = vector.transfer_read %20[%c0], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %63 = arith.addf %61, %62 : vector<5xf32>
              %64 = vector.transfer_read %51[%arg4, %c0], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %65 = arith.addf %63, %64 : vector<5xf32>
              %66 = vector.transfer_read %arg7[%42, %arg4, %c0], %cst_17 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %67 = vector.transfer_read %12[%c0], %cst_17 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %68 = arith.mulf %66, %67 : vector<5xf32>
              %69 = arith.addf %65, %68 : vector<5xf32>
              %70 = arith.maximumf %69, %cst_16 : vector<5xf32>
              %71 = arith.minimumf %70, %cst_15 : vector<5xf32>
              %72 = arith.cmpf ogt, %cst_14, %71 : vector<5xf32>
              %73 = arith.select %72, %cst_14, %71 : vector<5xi1>, vector<5xf32>
              %74 = arith.cmpf olt, %cst_13, %73 : vector<5xf32>
              %75 = arith.select %74, %cst_13, %73 : vector<5xi1>, vector<5xf32>
              %76 = math.fma %75, %cst_12, %cst_11 : vector<5xf32>
              %77 = arith.subf %76, %cst_11 : vector<5xf32>
              %78 = arith.negf %75 : vector<5xf32>
              %79 = math.fma %77, %cst_10, %78 : vector<5xf32>
              %80 = math.fma %77, %cst_9, %79 : vector<5xf32>
              %81 = math.fma %cst_8, %80, %cst_7 : vector<5xf32>
              %82 = math.fma %81, %80, %cst_6 : vector<5xf32>
              %83 = math.fma %82, %80, %cst_5 : vector<5xf32>
              %84 = math.fma %83, %80, %cst_4 : vector<5xf32>
              %85 = arith.mulf %80, %80 : vector<5xf32>
              %86 = math.fma %84, %85, %80 : vector<5xf32>
              %87 = math.fma %86, %cst_3, %cst_3 : vector<5xf32>
              %88 = arith.bitcast %76 : vector<5xf32> to vector<5xi32>
              %89 = arith.shli %88, %cst_2 : vector<5xi32>
              %90 = arith.bitcast %89 : vector<5xi32> to vector<5xf32>
              %91 = math.fma %87, %90, %cst_3 : vector<5xf32>
              %92 = arith.divf %cst_3, %91 : vector<5xf32>
              %93 = vector.transfer_read %10[%48, %arg4, %c15], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %94 = vector.transfer_read %20[%c15], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %95 = arith.addf %93, %94 : vector<5xf32>
              %96 = vector.transfer_read %51[%arg4, %c15], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %97 = arith.addf %95, %96 : vector<5xf32>
              %98 = arith.maximumf %97, %cst_16 : vector<5xf32>
              %99 = arith.minimumf %98, %cst_15 : vector<5xf32>
              %100 = arith.mulf %99, %cst_1 : vector<5xf32>
              %101 = math.tanh %100 : vector<5xf32>
              %102 = arith.mulf %101, %cst_0 : vector<5xf32>
              %103 = arith.mulf %92, %102 : vector<5xf32>
              %104 = vector.transfer_read %10[%48, %arg4, %c10], %cst_17 {in_bounds = [true]} : tensor<4x2x20xf32>, vector<5xf32>
              %105 = vector.transfer_read %20[%c10], %cst_17 {in_bounds = [true]} : tensor<20xf32>, vector<5xf32>
              %106 = arith.addf %104, %105 : vector<5xf32>
              %107 = vector.transfer_read %51[%arg4, %c10], %cst_17 {in_bounds = [true]} : tensor<2x20xf32>, vector<5xf32>
              %108 = arith.addf %106, %107 : vector<5xf32>
              %109 = vector.transfer_read %16[%c0], %cst_17 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %110 = arith.mulf %66, %109 : vector<5xf32>
              %111 = arith.addf %108, %110 : vector<5xf32>
              %112 = arith.maximumf %111, %cst_16 : vector<5xf32>
              %113 = arith.minimumf %112, %cst_15 : vector<5xf32>
              %114 = arith.cmpf ogt, %cst_14, %113 : vector<5xf32>
              %115 = arith.select %114, %cst_14, %113 : vector<5xi1>, vector<5xf32>
              %116 = arith.cmpf olt, %cst_13, %115 : vector<5xf32>
              %117 = arith.select %116, %cst_13, %115 : vector<5xi1>, vector<5xf32>
              %118 = math.fma %117, %cst_12, %cst_11 : vector<5xf32>
              %119 = arith.subf %118, %cst_11 : vector<5xf32>
              %120 = arith.negf %117 : vector<5xf32>
              %121 = math.fma %119, %cst_10, %120 : vector<5xf32>
              %122 = math.fma %119, %cst_9, %121 : vector<5xf32>
              %123 = math.fma %cst_8, %122, %cst_7 : vector<5xf32>
              %124 = math.fma %123, %122, %cst_6 : vector<5xf32>
              %125 = math.fma %124, %122, %cst_5 : vector<5xf32>
              %126 = math.fma %125, %122, %cst_4 : vector<5xf32>
              %127 = arith.mulf %122, %122 : vector<5xf32>
              %128 = math.fma %126, %127, %122 : vector<5xf32>
              %129 = math.fma %128, %cst_3, %cst_3 : vector<5xf32>
              %130 = arith.bitcast %118 : vector<5xf32> to vector<5xi32>
              %131 = arith.shli %130, %cst_2 : vector<5xi32>
              %132 = arith.bitcast %131 : vector<5xi32> to vector<5xf32>
              %133 = math.fma %129, %132, %cst_3 : vector<5xf32>
              %134 = arith.divf %cst_3, %133 : vector<5xf32>
              %135 = arith.mulf %134, %66 : vector<5xf32>
              %136 = arith.addf %103, %135 : vector<5xf32>
              %137 = vector.transfer_read %14[%c0], %cst_17 {in_bounds = [true]} : tensor<5xf32>, vector<5xf32>
              %138 = arith.mulf %136, %137 : vector<5xf32>
              %139 = arith.addf %60, %138 : vector<5xf32>
              %140 = arith.maximumf %139, %cst_16 : vector<5xf32>
              %141 = arith.minimumf %140, %cst_15 : vector<5xf32>
              %142 = arith.cmpf ogt, %cst_14, %141 : vector<5xf32>
              %143 = arith.select %142, %cst_14, %141 : vector<5xi1>, vector<5xf32>
              %144 = arith.cmpf olt, %cst_13, %143 : vector<5xf32>
              %145 = arith.select %144, %cst_13, %143 : vector<5xi1>, vector<5xf32>
              %146 = math.fma %145, %cst_12, %cst_11 : vector<5xf32>
              %147 = arith.subf %146, %cst_11 : vector<5xf32>
              %148 = arith.negf %145 : vector<5xf32>
              %149 = math.fma %147, %cst_10, %148 : vector<5xf32>
              %150 = math.fma %147, %cst_9, %149 : vector<5xf32>
              %151 = math.fma %cst_8, %150, %cst_7 : vector<5xf32>
              %152 = math.fma %151, %150, %cst_6 : vector<5xf32>
              %153 = math.fma %152, %150, %cst_5 : vector<5xf32>
              %154 = math.fma %153, %150, %cst_4 : vector<5xf32>
              %155 = arith.mulf %150, %150 : vector<5xf32>
              %156 = math.fma %154, %155, %150 : vector<5xf32>
              %157 = math.fma %156, %cst_3, %cst_3 : vector<5xf32>
              %158 = arith.bitcast %146 : vector<5xf32> to vector<5xi32>
              %159 = arith.shli %158, %cst_2 : vector<5xi32>
              %160 = arith.bitcast %159 : vector<5xi32> to vector<5xf32>
              %161 = math.fma %157, %160, %cst_3 : vector<5xf32>
              %162 = arith.divf %cst_3, %161 : vector<5xf32>
              %163 = arith.maximumf %136, %cst : vector<5xf32>
              %164 = math.absf %136 : vector<5xf32>
              %165 = arith.negf %164 : vector<5xf32>
              %166 = math.exp %165 : vector<5xf32>
              %167 = math.log1p %166 : vector<5xf32>
              %168 = arith.addf %163, %167 : vector<5xf32>
              %169 = arith.mulf %162, %168 : vector<5xf32>
              %170 = arith.select %55, %169, %cst : vector<5xi1>, vector<5xf32>
              %171 = vector.transfer_read %arg6[%42, %arg4, %c0], %cst_17 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %172 = arith.select %55, %169, %171 : vector<5xi1>, vector<5xf32>
              %173 = arith.select %55, %136, %66 : vector<5xi1>, vector<5xf32>
              %174 = vector.transfer_write %170, %arg5[%48, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x5xf32>
              %175 = vector.transfer_write %172, %arg6[%43, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              %176 = vector.transfer_write %173, %arg7[%43, %arg4, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %174, %175, %176 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
            }
            scf.yield %52#0, %52#1, %52#2 : tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          %38 = arith.addi %35, %workgroup_id_x : index
          %39 = scf.for %arg0 = %38 to %c4 step %c1 iter_args(%arg1 = %37#0) -> (tensor<4x2x5xf32>) {
            %extracted_slice = tensor.extract_slice %arg1[%arg0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<2x5xf32>
            %40 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x5xf32>) attrs =  {lowering_config = #config34} {
            ^bb0(%out: f32):
              linalg.yield %cst_17 : f32
            } -> tensor<2x5xf32>
            %inserted_slice_19 = tensor.insert_slice %40 into %arg1[%arg0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
            scf.yield %inserted_slice_19 : tensor<4x2x5xf32>
          }
          iree_codegen.store_to_buffer %39, %27 : tensor<4x2x5xf32> into memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %37#1, %29 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %37#2, %31 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_lstm_lstm_forward_3_loop {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_1 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_1_elementwise_2_i32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_1_elementwise_2_i32() attributes {translation_info = #translation} {
          %c0_i32 = arith.constant 0 : i32
          %c4_i32 = arith.constant 4 : i32
          %c0 = arith.constant 0 : index
          %c320 = arith.constant 320 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2xi32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c320) flags(Indirect) : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<2xi32, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %3 = tensor.empty() : tensor<2xi32>
          %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%2 : tensor<2xi32>) outs(%3 : tensor<2xi32>) attrs =  {lowering_config = #config30} {
          ^bb0(%in: i32, %out: i32):
            %5 = arith.maxsi %in, %c0_i32 : i32
            %6 = arith.minui %5, %c4_i32 : i32
            linalg.yield %6 : i32
          } -> tensor<2xi32>
          iree_codegen.store_to_buffer %4, %1 : tensor<2xi32> into memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_1_elementwise_2_i32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_3 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64() attributes {translation_info = #translation} {
          %c320 = arith.constant 320 : index
          %c448 = arith.constant 448 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c448) flags(Indirect) : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = iree_codegen.load_from_buffer %0 : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %3 = tensor.empty() : tensor<2xi64>
          %4 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%2 : tensor<2xi32>) outs(%3 : tensor<2xi64>) attrs =  {lowering_config = #config30} {
          ^bb0(%in: i32, %out: i64):
            %5 = arith.extsi %in : i32 to i64
            linalg.yield %5 : i64
          } -> tensor<2xi64>
          iree_codegen.store_to_buffer %4, %1 : tensor<2xi64> into memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_3_elementwise_2_i32xi64 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_4 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c320 = arith.constant 320 : index
          %c0 = arith.constant 0 : index
          %c512 = arith.constant 512 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x3xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c512) flags(Indirect) : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %0 : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %4 = iree_codegen.load_from_buffer %1 : memref<4x2x3xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x3xf32>
          %5 = tensor.empty() : tensor<4x2x3xf32>
          %6 = linalg.generic {indexing_maps = [#map14, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %4 : tensor<2xi32>, tensor<4x2x3xf32>) outs(%5 : tensor<4x2x3xf32>) attrs =  {lowering_config = #config9} {
          ^bb0(%in: i32, %in_0: f32, %out: f32):
            %7 = arith.extsi %in : i32 to i64
            %8 = linalg.index 0 : index
            %9 = arith.index_cast %8 : index to i64
            %10 = arith.cmpi slt, %9, %7 : i64
            %11 = arith.select %10, %in_0, %cst : f32
            linalg.yield %11 : f32
          } -> tensor<4x2x3xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<4x2x3xf32> into memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_5 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c320 = arith.constant 320 : index
          %c640 = arith.constant 640 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c640) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %4 = tensor.empty() : tensor<4x2x5xf32>
          %subview = memref.subview %0[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : memref<4x2x2x5xf32, #hal.descriptor_type<storage_buffer>> to memref<4x2x5xf32, strided<[20, 5, 1]>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<4x2x5xf32, strided<[20, 5, 1]>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %6 = linalg.generic {indexing_maps = [#map14, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %5 : tensor<2xi32>, tensor<4x2x5xf32>) outs(%4 : tensor<4x2x5xf32>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: i32, %in_0: f32, %out: f32):
            %7 = arith.extsi %in : i32 to i64
            %8 = linalg.index 0 : index
            %9 = arith.index_cast %8 : index to i64
            %10 = arith.cmpi slt, %9, %7 : i64
            %11 = arith.select %10, %in_0, %cst : f32
            linalg.yield %11 : f32
          } -> tensor<4x2x5xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<4x2x5xf32> into memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_6 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_6_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_6_slow_memcpy() attributes {translation_info = #translation1} {
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x2x5xf32>
          %assume_align = memref.assume_alignment %0, 64 : memref<4x2x2x5xf32>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c64) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %subview = memref.subview %assume_align[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : memref<4x2x2x5xf32> to memref<4x2x5xf32, strided<[20, 5, 1]>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%subview : memref<4x2x5xf32, strided<[20, 5, 1]>>) outs(%assume_align_0 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_6_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_7 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c320 = arith.constant 320 : index
          %c832 = arith.constant 832 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c832) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %4 = tensor.empty() : tensor<4x2x5xf32>
          %subview = memref.subview %0[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : memref<4x2x2x5xf32, #hal.descriptor_type<storage_buffer>> to memref<4x2x5xf32, strided<[20, 5, 1], offset: 10>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<4x2x5xf32, strided<[20, 5, 1], offset: 10>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %6 = linalg.generic {indexing_maps = [#map14, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %5 : tensor<2xi32>, tensor<4x2x5xf32>) outs(%4 : tensor<4x2x5xf32>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: i32, %in_0: f32, %out: f32):
            %7 = arith.extsi %in : i32 to i64
            %8 = linalg.index 0 : index
            %9 = arith.index_cast %8 : index to i64
            %10 = arith.cmpi slt, %9, %7 : i64
            %11 = arith.select %10, %in_0, %cst : f32
            linalg.yield %11 : f32
          } -> tensor<4x2x5xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<4x2x5xf32> into memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_8 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_8_slow_memcpy ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_8_slow_memcpy() attributes {translation_info = #translation1} {
          %c0 = arith.constant 0 : index
          %c1024 = arith.constant 1024 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x2x5xf32>
          %assume_align = memref.assume_alignment %0, 64 : memref<4x2x2x5xf32>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1024) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %1, 64 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %subview = memref.subview %assume_align[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : memref<4x2x2x5xf32> to memref<4x2x5xf32, strided<[20, 5, 1], offset: 10>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%subview : memref<4x2x5xf32, strided<[20, 5, 1], offset: 10>>) outs(%assume_align_0 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_8_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_9 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c1280 = arith.constant 1280 : index
          %c3008 = arith.constant 3008 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x15x3xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c1280) flags("ReadOnly|Indirect") : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c3008) flags(Indirect) : memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x15xf32>
          %4 = tensor.empty() : tensor<8x3xf32>
          %subview = memref.subview %0[0, 0, 0] [1, 15, 3] [1, 1, 1] : memref<2x15x3xf32, #hal.descriptor_type<storage_buffer>> to memref<15x3xf32, strided<[3, 1]>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<15x3xf32, strided<[3, 1]>, #hal.descriptor_type<storage_buffer>> -> tensor<15x3xf32>
          %6 = linalg.fill {lowering_config = #config5} ins(%cst : f32) outs(%4 : tensor<8x3xf32>) -> tensor<8x3xf32>
          %7 = linalg.matmul {lowering_config = #config35} ins(%3, %5 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%6 : tensor<8x3xf32>) -> tensor<8x3xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<8x3xf32> into memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_9_matmul_8x3x15_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_10 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32() attributes {translation_info = #translation} {
          %c0 = arith.constant 0 : index
          %c1792 = arith.constant 1792 : index
          %c640 = arith.constant 640 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x4x2x15xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c1792) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c640) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %4 = tensor.empty() : tensor<4x2x5xf32>
          %subview = memref.subview %0[0, 0, 0, 5] [1, 4, 2, 5] [1, 1, 1, 1] : memref<2x4x2x15xf32, #hal.descriptor_type<storage_buffer>> to memref<4x2x5xf32, strided<[30, 15, 1], offset: 5>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<4x2x5xf32, strided<[30, 15, 1], offset: 5>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %6 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %3 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%4 : tensor<4x2x5xf32>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %in_0: f32, %out: f32):
            %7 = arith.mulf %in, %in_0 : f32
            linalg.yield %7 : f32
          } -> tensor<4x2x5xf32>
          iree_codegen.store_to_buffer %6, %2 : tensor<4x2x5xf32> into memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_11 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_11_slow_memcpy ordinal(0) layout(#pipeline_layout6) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_11_slow_memcpy() attributes {translation_info = #translation1} {
          %0 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
              %3[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>>
          %assume_align = memref.assume_alignment %5, 64 : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(1) alignment(64) offset(%4#1) flags(Indirect) : memref<4x2x10xf32, strided<[20, 10, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %6, 64 : memref<4x2x10xf32, strided<[20, 10, 1], offset: ?>>
          %subview = memref.subview %assume_align[0, 0, 0] [4, 2, 10] [1, 1, 1] : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>> to memref<4x2x10xf32, strided<[30, 15, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%subview : memref<4x2x10xf32, strided<[30, 15, 1], offset: ?>>) outs(%assume_align_0 : memref<4x2x10xf32, strided<[20, 10, 1], offset: ?>>) attrs =  {lowering_config = #config36} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_11_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_12 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_12_slow_memcpy ordinal(0) layout(#pipeline_layout6) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_12_slow_memcpy() attributes {translation_info = #translation1} {
          %0 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
              %3[<umin = 1024, umax = 1024, udiv = 1024>, <umin = 1280, umax = 1280, udiv = 1280>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>>
          %assume_align = memref.assume_alignment %5, 64 : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(1) alignment(64) offset(%4#1) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %assume_align_0 = memref.assume_alignment %6, 64 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>
          %subview = memref.subview %assume_align[0, 0, 10] [4, 2, 5] [1, 1, 1] : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>> to memref<4x2x5xf32, strided<[30, 15, 1], offset: ?>>
          linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%subview : memref<4x2x5xf32, strided<[30, 15, 1], offset: ?>>) outs(%assume_align_0 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
          }
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_12_slow_memcpy {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_13 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32 ordinal(0) layout(#pipeline_layout6) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c512 = arith.constant 512 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
              %3[<umin = 3136, umax = 3136, udiv = 3136>, <umin = 3316, umax = 3316, udiv = 3316>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%c512) flags("ReadOnly|Indirect") : memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %7 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(1) alignment(64) offset(%4#1) flags(Indirect) : memref<15x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = iree_codegen.load_from_buffer %5 : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x15xf32>
          %9 = iree_codegen.load_from_buffer %6 : memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x3xf32>
          %10 = tensor.empty() : tensor<15x3xf32>
          %11 = linalg.fill {lowering_config = #config37} ins(%cst : f32) outs(%10 : tensor<15x3xf32>) -> tensor<15x3xf32>
          %12 = linalg.matmul indexing_maps = [#map12, #map13, #map7] {lowering_config = #config38} ins(%8, %9 : tensor<8x15xf32>, tensor<8x3xf32>) outs(%11 : tensor<15x3xf32>) -> tensor<15x3xf32>
          iree_codegen.store_to_buffer %12, %7 : tensor<15x3xf32> into memref<15x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_13_matmul_15x3x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_14 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32 ordinal(0) layout(#pipeline_layout10) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %0 = hal.interface.constant.load layout(#pipeline_layout10) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout10) ordinal(1) : i32
          %2 = hal.interface.constant.load layout(#pipeline_layout10) ordinal(2) : i32
          %3 = arith.index_castui %0 : i32 to index
          %4 = arith.index_castui %1 : i32 to index
          %5 = arith.index_castui %2 : i32 to index
          %6:3 = util.assume.int 
              %3[<umin = 0, umax = 0>, <umin = 832, umax = 832, udiv = 832>], 
              %4[<umin = 1792, umax = 1792, udiv = 1792>, <umin = 0, umax = 0>], 
              %5[<umin = 3496, umax = 3496, udiv = 3496>, <umin = 3796, umax = 3796, udiv = 3796>]
            : index, index, index
          %7 = hal.interface.binding.subspan layout(#pipeline_layout10) binding(0) alignment(64) offset(%6#0) flags("ReadOnly|Indirect") : memref<8x10xf32, strided<[10, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout10) binding(0) alignment(64) offset(%6#1) flags("ReadOnly|Indirect") : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %9 = hal.interface.binding.subspan layout(#pipeline_layout10) binding(1) alignment(64) offset(%6#2) flags(Indirect) : memref<10x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %10 = iree_codegen.load_from_buffer %7 : memref<8x10xf32, strided<[10, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x10xf32>
          %11 = iree_codegen.load_from_buffer %8 : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %12 = tensor.empty() : tensor<10x5xf32>
          %13 = linalg.fill {lowering_config = #config39} ins(%cst : f32) outs(%12 : tensor<10x5xf32>) -> tensor<10x5xf32>
          %14 = linalg.matmul indexing_maps = [#map12, #map13, #map7] {lowering_config = #config40} ins(%10, %11 : tensor<8x10xf32>, tensor<8x5xf32>) outs(%13 : tensor<10x5xf32>) -> tensor<10x5xf32>
          iree_codegen.store_to_buffer %14, %9 : tensor<10x5xf32> into memref<10x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_14_matmul_10x5x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_15 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32 ordinal(0) layout(#pipeline_layout6) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c640 = arith.constant 640 : index
          %0 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 1024, umax = 1024, udiv = 1024>, <umin = 1280, umax = 1280, udiv = 1280>], 
              %3[<umin = 3696, umax = 3696, udiv = 3696>, <umin = 3996, umax = 3996, udiv = 3996>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%c640) flags("ReadOnly|Indirect") : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %7 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(1) alignment(64) offset(%4#1) flags(Indirect) : memref<5x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = iree_codegen.load_from_buffer %5 : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %9 = iree_codegen.load_from_buffer %6 : memref<8x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x5xf32>
          %10 = tensor.empty() : tensor<5x5xf32>
          %11 = linalg.fill {lowering_config = #config39} ins(%cst : f32) outs(%10 : tensor<5x5xf32>) -> tensor<5x5xf32>
          %12 = linalg.matmul indexing_maps = [#map12, #map13, #map7] {lowering_config = #config40} ins(%8, %9 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%11 : tensor<5x5xf32>) -> tensor<5x5xf32>
          iree_codegen.store_to_buffer %12, %7 : tensor<5x5xf32> into memref<5x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_15_matmul_5x5x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_16 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_16_reduction_15x8_f32 ordinal(0) layout(#pipeline_layout6) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_16_reduction_15x8_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %0 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout6) ordinal(1) : i32
          %2 = arith.index_castui %0 : i32 to index
          %3 = arith.index_castui %1 : i32 to index
          %4:2 = util.assume.int 
              %2[<umin = 1280, umax = 1280, udiv = 1280>, <umin = 2368, umax = 2368, udiv = 2368>], 
              %3[<umin = 1216, umax = 1216, udiv = 1216>, <umin = 192, umax = 192, udiv = 192>]
            : index, index
          %5 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(0) alignment(64) offset(%4#0) flags("ReadOnly|Indirect") : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout6) binding(1) alignment(64) offset(%4#1) flags(Indirect) : memref<15xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %5 : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x15xf32>
          %8 = tensor.empty() : tensor<15xf32>
          %9 = linalg.fill {lowering_config = #config25} ins(%cst : f32) outs(%8 : tensor<15xf32>) -> tensor<15xf32>
          %10 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<8x15xf32>) outs(%9 : tensor<15xf32>) attrs =  {lowering_config = #config26} {
          ^bb0(%in: f32, %out: f32):
            %11 = arith.addf %out, %in : f32
            linalg.yield %11 : f32
          } -> tensor<15xf32>
          iree_codegen.store_to_buffer %10, %6 : tensor<15xf32> into memref<15xf32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_16_reduction_15x8_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_17 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32 ordinal(0) layout(#pipeline_layout3) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c0 = arith.constant 0 : index
          %c2368 = arith.constant 2368 : index
          %c384 = arith.constant 384 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x15x3xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(1) alignment(64) offset(%c2368) flags("ReadOnly|Indirect") : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout3) binding(2) alignment(64) offset(%c384) flags(Indirect) : memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %1 : memref<8x15xf32, strided<[15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<8x15xf32>
          %4 = tensor.empty() : tensor<8x3xf32>
          %subview = memref.subview %0[1, 0, 0] [1, 15, 3] [1, 1, 1] : memref<2x15x3xf32, #hal.descriptor_type<storage_buffer>> to memref<15x3xf32, strided<[3, 1], offset: 45>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %subview : memref<15x3xf32, strided<[3, 1], offset: 45>, #hal.descriptor_type<storage_buffer>> -> tensor<15x3xf32>
          %6 = linalg.fill {lowering_config = #config5} ins(%cst : f32) outs(%4 : tensor<8x3xf32>) -> tensor<8x3xf32>
          %7 = linalg.matmul {lowering_config = #config35} ins(%3, %5 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%6 : tensor<8x3xf32>) -> tensor<8x3xf32>
          iree_codegen.store_to_buffer %7, %2 : tensor<8x3xf32> into memref<8x3xf32, strided<[3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_17_matmul_8x3x15_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_18 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32 ordinal(0) layout(#pipeline_layout11) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32() attributes {translation_info = #translation} {
          %c1_i64 = arith.constant 1 : i64
          %c0 = arith.constant 0 : index
          %c320 = arith.constant 320 : index
          %c4352 = arith.constant 4352 : index
          %c640 = arith.constant 640 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout11) binding(0) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout11) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x4x2x15xf32, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout11) binding(2) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = hal.interface.binding.subspan layout(#pipeline_layout11) binding(2) alignment(64) offset(%c4352) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout11) binding(3) alignment(64) offset(%c0) flags(Indirect) : memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          %5 = hal.interface.binding.subspan layout(#pipeline_layout11) binding(4) alignment(64) offset(%c640) flags(Indirect) : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %6 = iree_codegen.load_from_buffer %2 : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %7 = iree_codegen.load_from_buffer %3 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %8 = tensor.empty() : tensor<4x2x5xf32>
          %subview = memref.subview %0[1, 0, 0] [1, 2, 5] [1, 1, 1] : memref<2x2x5xf32, #hal.descriptor_type<storage_buffer>> to memref<2x5xf32, strided<[5, 1], offset: 10>, #hal.descriptor_type<storage_buffer>>
          %9 = iree_codegen.load_from_buffer %subview : memref<2x5xf32, strided<[5, 1], offset: 10>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %subview_0 = memref.subview %1[1, 0, 0, 5] [1, 4, 2, 5] [1, 1, 1, 1] : memref<2x4x2x15xf32, #hal.descriptor_type<storage_buffer>> to memref<4x2x5xf32, strided<[30, 15, 1], offset: 125>, #hal.descriptor_type<storage_buffer>>
          %10 = iree_codegen.load_from_buffer %subview_0 : memref<4x2x5xf32, strided<[30, 15, 1], offset: 125>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %11:2 = linalg.generic {indexing_maps = [#map11, #map14, #map6, #map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %6, %9, %7 : tensor<4x2x5xf32>, tensor<2xi32>, tensor<2x5xf32>, tensor<4x2x5xf32>) outs(%8, %8 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) attrs =  {lowering_config = #config10} {
          ^bb0(%in: f32, %in_1: i32, %in_2: f32, %in_3: f32, %out: f32, %out_4: f32):
            %12 = arith.extsi %in_1 : i32 to i64
            %13 = linalg.index 0 : index
            %14 = arith.subi %12, %c1_i64 : i64
            %15 = arith.index_cast %13 : index to i64
            %16 = arith.cmpi eq, %15, %14 : i64
            %17 = arith.select %16, %in_2, %in_3 : f32
            %18 = arith.mulf %in, %17 : f32
            linalg.yield %17, %18 : f32, f32
          } -> (tensor<4x2x5xf32>, tensor<4x2x5xf32>)
          iree_codegen.store_to_buffer %11#0, %4 : tensor<4x2x5xf32> into memref<4x2x5xf32, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %11#1, %5 : tensor<4x2x5xf32> into memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_25 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32 ordinal(0) layout(#pipeline_layout1) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32() attributes {translation_info = #translation} {
          %cst = arith.constant 0.000000e+00 : f32
          %c320 = arith.constant 320 : index
          %c3008 = arith.constant 3008 : index
          %c384 = arith.constant 384 : index
          %c1280 = arith.constant 1280 : index
          %0 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c320) flags("ReadOnly|Indirect") : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c3008) flags("ReadOnly|Indirect") : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(0) alignment(64) offset(%c384) flags("ReadOnly|Indirect") : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = hal.interface.binding.subspan layout(#pipeline_layout1) binding(1) alignment(64) offset(%c1280) flags(Indirect) : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %4 = iree_codegen.load_from_buffer %0 : memref<2xi32, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi32>
          %5 = iree_codegen.load_from_buffer %1 : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x3xf32>
          %6 = iree_codegen.load_from_buffer %2 : memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x3xf32>
          %7 = tensor.empty() : tensor<4x2x3xf32>
          %8 = linalg.generic {indexing_maps = [#map14, #map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %5, %6 : tensor<2xi32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>) outs(%7 : tensor<4x2x3xf32>) attrs =  {lowering_config = #config9} {
          ^bb0(%in: i32, %in_0: f32, %in_1: f32, %out: f32):
            %9 = arith.extsi %in : i32 to i64
            %10 = arith.addf %in_0, %in_1 : f32
            %11 = linalg.index 0 : index
            %12 = arith.index_cast %11 : index to i64
            %13 = arith.cmpi slt, %12, %9 : i64
            %14 = arith.select %13, %10, %cst : f32
            linalg.yield %14 : f32
          } -> tensor<4x2x3xf32>
          iree_codegen.store_to_buffer %8, %3 : tensor<4x2x3xf32> into memref<4x2x3xf32, strided<[6, 3, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_dispatch_26 {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_dispatch_26_elementwise_2x5_f32 ordinal(0) layout(#pipeline_layout10) count(%arg0: !hal.device) -> (index, index, index) {
        %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
        hal.return %x, %y, %z : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_dispatch_26_elementwise_2x5_f32() attributes {translation_info = #translation} {
          %0 = hal.interface.constant.load layout(#pipeline_layout10) ordinal(0) : i32
          %1 = hal.interface.constant.load layout(#pipeline_layout10) ordinal(1) : i32
          %2 = hal.interface.constant.load layout(#pipeline_layout10) ordinal(2) : i32
          %3 = arith.index_castui %0 : i32 to index
          %4 = arith.index_castui %1 : i32 to index
          %5 = arith.index_castui %2 : i32 to index
          %6:3 = util.assume.int 
              %3[<umin = 2240, umax = 2240, udiv = 2240>, <umin = 2880, umax = 2880, udiv = 2880>], 
              %4[<umin = 2112, umax = 2112, udiv = 2112>, <umin = 1984, umax = 1984, udiv = 1984>], 
              %5[<umin = 1408, umax = 1408, udiv = 1408>, <umin = 1448, umax = 1448, udiv = 1448>]
            : index, index, index
          %7 = hal.interface.binding.subspan layout(#pipeline_layout10) binding(0) alignment(64) offset(%6#0) flags("ReadOnly|Indirect") : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout10) binding(0) alignment(64) offset(%6#1) flags("ReadOnly|Indirect") : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %9 = hal.interface.binding.subspan layout(#pipeline_layout10) binding(1) alignment(64) offset(%6#2) flags(Indirect) : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %10 = tensor.empty() : tensor<2x5xf32>
          %subview = memref.subview %7[0, 0, 0] [1, 2, 5] [1, 1, 1] : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %11 = iree_codegen.load_from_buffer %subview : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %subview_0 = memref.subview %8[0, 0, 0] [1, 2, 5] [1, 1, 1] : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> to memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %12 = iree_codegen.load_from_buffer %subview_0 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%12, %11 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%10 : tensor<2x5xf32>) attrs =  {lowering_config = #config} {
          ^bb0(%in: f32, %in_1: f32, %out: f32):
            %14 = arith.addf %in, %in_1 : f32
            linalg.yield %14 : f32
          } -> tensor<2x5xf32>
          iree_codegen.store_to_buffer %13, %9 : tensor<2x5xf32> into memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_dispatch_26_elementwise_2x5_f32 {
        ^bb0(%arg0: !hal.device):
          %x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()
          iree_codegen.yield %x, %y, %z : index, index, index
        }
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
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_0::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_0_reduction_2_i32 {
          ro %arg10[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_1::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_1_elementwise_2_i32 {
          ro %arg10[%c0 for %c8] : !stream.resource<external>{%c8},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_lstm_prepacked_dispatch_1::@embedded_elf_x86_64::@onnx_lstm_prepacked_dispatch_1_elementwise(%c384_i32 : i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_3::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_3_elementwise_2_i32xi64 {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_4::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_4_elementwise_4x2x3_i64xf32xf32 {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          ro %arg11[%c0 for %c96] : !stream.resource<external>{%c96},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_5::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_5_elementwise_4x2x5_i64xf32xf32 {
          ro %arg12[%c0 for %c320] : !stream.resource<external>{%c320},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_6::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_6_slow_memcpy {
          ro %arg13[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_7::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_7_elementwise_4x2x5_i64xf32xf32 {
          ro %arg12[%c0 for %c320] : !stream.resource<external>{%c320},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_8::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_8_slow_memcpy {
          ro %arg13[%c0 for %c320] : !stream.resource<external>{%c320},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.fill %c0_i8, %arg20[%c1216 for %c40] : i8 -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.dispatch @onnx_gru_grad_gru_reset_before_backward_loop::@embedded_elf_x86_64::@onnx_gru_grad_gru_reset_before_backward_loop {
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
        stream.cmd.dispatch @onnx_gru_grad_gru_reset_before_backward_1_loop::@embedded_elf_x86_64::@onnx_gru_grad_gru_reset_before_backward_1_loop {
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
        stream.cmd.dispatch @onnx_gru_grad_dispatch_9::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_9_matmul_8x3x15_f32 {
          ro %arg18[%c0 for %c360] : !stream.resource<external>{%c360},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.copy %arg15[%c0], %arg20[%c1792], %c40 : !stream.resource<external>{%c80} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg20[%c640], %arg20[%c1832], %c120 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_10::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_10_elementwise_4x2x5_f32 {
          ro %arg14[%c0 for %c960] : !stream.resource<external>{%c960},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_11::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_11_slow_memcpy(%c1280_i32, %c0_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_12::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_12_slow_memcpy(%c1280_i32, %c1024_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_13::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%c1280_i32, %c3136_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_14::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%c0_i32, %c1792_i32, %c3496_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_15::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%c1024_i32, %c3696_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_16::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_16_reduction_15x8_f32(%c1280_i32, %c1216_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_17::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_17_matmul_8x3x15_f32 {
          ro %arg18[%c0 for %c360] : !stream.resource<external>{%c360},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.copy %arg20[%c872], %arg20[%c4352], %c120 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg15[%c40], %arg20[%c4472], %c40 : !stream.resource<external>{%c80} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_18::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_18_elementwise_4x2x5_f32xi64xf32xf32xf32xf32 {
          ro %arg15[%c0 for %c80] : !stream.resource<external>{%c80},
          ro %arg14[%c0 for %c960] : !stream.resource<external>{%c960},
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_11::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_11_slow_memcpy(%c2368_i32, %c832_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_12::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_12_slow_memcpy(%c2368_i32, %c1280_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.copy %arg20[%c1216], %arg20[%c4096], %c60 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
        stream.cmd.copy %arg20[%c1216], %arg20[%c4156], %c60 : !stream.resource<transient>{%c4544} -> !stream.resource<transient>{%c4544}
      }
      stream.cmd.dispatch @onnx_gru_grad_dispatch_13::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_13_matmul_15x3x8_f32(%c2368_i32, %c3316_i32 : i32, i32) {
        ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
        rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
      }
      stream.cmd.concurrent {
        stream.cmd.dispatch @onnx_gru_grad_dispatch_14::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_14_matmul_10x5x8_f32(%c832_i32, %c0_i32, %c3796_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_15::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_15_matmul_5x5x8_f32(%c1280_i32, %c3996_i32 : i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_16::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_16_reduction_15x8_f32(%c2368_i32, %c192_i32 : i32, i32) {
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
        stream.cmd.dispatch @onnx_gru_grad_dispatch_25::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_25_elementwise_4x2x3_i64xf32xf32xf32 {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          wo %arg19[%c0 for %c1536] : !stream.resource<external>{%c1536}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_26::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%c2240_i32, %c2112_i32, %c1408_i32 : i32, i32, i32) {
          ro %arg20[%c0 for %c4544] : !stream.resource<transient>{%c4544},
          rw %arg19[%c0 for %c1536] : !stream.resource<external>{%c1536}
        }
        stream.cmd.dispatch @onnx_gru_grad_dispatch_26::@embedded_elf_x86_64::@onnx_gru_grad_dispatch_26_elementwise_2x5_f32(%c2880_i32, %c1984_i32, %c1448_i32 : i32, i32, i32) {
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
  hal.executable private @onnx_gru_grad_gru_reset_before_backward_loop {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_gru_reset_before_backward_loop ordinal(0) layout(#pipeline_layout12) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_gru_reset_before_backward_loop() attributes {translation_info = #translation} {
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
          %0 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c384) flags("ReadOnly|Indirect") : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = iree_codegen.load_from_buffer %0 : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %extracted = tensor.extract %1[] : tensor<i64>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c64) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %2 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c640) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %4 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(1) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<4x2x15xf32, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %6 : memref<4x2x15xf32, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x15xf32>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c448) flags("ReadOnly|Indirect") : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %9 = iree_codegen.load_from_buffer %8 : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi64>
          %10 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(2) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %11 = iree_codegen.load_from_buffer %10 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %12 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(3) alignment(64) offset(%c200) flags("ReadOnly|Indirect") : memref<5x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %13 = iree_codegen.load_from_buffer %12 : memref<5x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5x5xf32>
          %14 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(3) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<10x5xf32, #hal.descriptor_type<storage_buffer>>
          %15 = iree_codegen.load_from_buffer %14 : memref<10x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<10x5xf32>
          %16 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(4) alignment(64) offset(%c0) flags("ReadOnly|Indirect") : memref<2x5xf32, #hal.descriptor_type<storage_buffer>>
          %17 = iree_codegen.load_from_buffer %16 : memref<2x5xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %18 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c1216) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %19 = iree_codegen.load_from_buffer %18 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %20 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(5) alignment(64) offset(%c1280) flags(Indirect) : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %21 = iree_codegen.load_from_buffer %20 : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x15xf32>
          %22 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(6) alignment(64) offset(%c1792) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %23 = iree_codegen.load_from_buffer %22 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %24 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(7) alignment(64) offset(%c1920) flags(Indirect) : memref<2x2x10xf32, strided<[20, 10, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %25 = iree_codegen.load_from_buffer %24 : memref<2x2x10xf32, strided<[20, 10, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x10xf32>
          %26 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(8) alignment(64) offset(%c2112) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %27 = iree_codegen.load_from_buffer %26 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %28 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(9) alignment(64) offset(%c2240) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %29 = iree_codegen.load_from_buffer %28 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %30 = arith.maxsi %extracted, %c0_i64 : i64
          %31 = arith.minsi %30, %c4_i64 : i64
          %32 = arith.index_cast %31 : i64 to index
          %33 = arith.remui %32, %c2 : index
          %inserted_slice = tensor.insert_slice %17 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %inserted_slice_2 = tensor.insert_slice %19 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %34:5 = scf.for %arg0 = %c0 to %32 step %c1 iter_args(%arg1 = %21, %arg2 = %23, %arg3 = %25, %arg4 = %inserted_slice, %arg5 = %inserted_slice_2) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %37 = arith.index_cast %arg0 : index to i64
            %38 = arith.subi %32, %arg0 : index
            %39 = arith.remui %38, %c2 : index
            %40 = arith.subi %c1, %39 : index
            %41 = arith.subi %extracted, %37 : i64
            %42 = arith.subi %41, %c1_i64 : i64
            %43 = arith.maxsi %42, %c0_i64 : i64
            %44 = arith.minsi %43, %c3_i64 : i64
            %45 = arith.index_cast %44 : i64 to index
            %46 = arith.cmpi eq, %42, %c0_i64 : i64
            %47 = arith.subi %41, %c2_i64 : i64
            %48 = scf.for %arg6 = %c0 to %c2 step %c1 iter_args(%arg7 = %arg2) -> (tensor<2x2x5xf32>) {
              %extracted_4 = tensor.extract %9[%arg6] : tensor<2xi64>
              %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
              %56 = vector.broadcast %42 : i64 to vector<5xi64>
              %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
              %58 = vector.transfer_read %7[%45, %arg6, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %59 = arith.mulf %58, %58 : vector<5xf32>
              %60 = arith.subf %cst, %59 : vector<5xf32>
              %61 = vector.transfer_read %3[%45, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %62 = vector.transfer_read %arg4[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %63 = arith.addf %61, %62 : vector<5xf32>
              %64 = vector.transfer_read %arg5[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %65 = arith.addf %63, %64 : vector<5xf32>
              %66 = vector.transfer_read %7[%45, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %67 = arith.subf %cst, %66 : vector<5xf32>
              %68 = arith.mulf %65, %67 : vector<5xf32>
              %69 = arith.mulf %60, %68 : vector<5xf32>
              %70 = arith.select %57, %69, %cst_1 : vector<5xi1>, vector<5xf32>
              %71 = vector.transfer_write %70, %arg7[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %71 : tensor<2x2x5xf32>
            }
            %extracted_slice = tensor.extract_slice %48[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
            %49 = tensor.empty() : tensor<2x5xf32>
            %50 = linalg.fill {lowering_config = #config16} ins(%cst_0 : f32) outs(%49 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %51 = linalg.matmul {lowering_config = #config41} ins(%extracted_slice, %13 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%50 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %52:3 = scf.for %arg6 = %c0 to %c2 step %c1 iter_args(%arg7 = %arg1, %arg8 = %arg3, %arg9 = %arg5) -> (tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>) {
              %extracted_4 = tensor.extract %9[%arg6] : tensor<2xi64>
              %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
              %56 = vector.broadcast %42 : i64 to vector<5xi64>
              %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
              %58 = vector.transfer_read %7[%45, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %59 = arith.subf %cst, %58 : vector<5xf32>
              %60 = arith.mulf %58, %59 : vector<5xf32>
              %61 = vector.transfer_read %3[%45, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %62 = vector.transfer_read %arg4[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %63 = arith.addf %61, %62 : vector<5xf32>
              %64 = vector.transfer_read %arg9[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %65 = arith.addf %63, %64 : vector<5xf32>
              %66 = vector.broadcast %46 : i1 to vector<5xi1>
              %67 = vector.transfer_read %11[%arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %68 = arith.maxsi %47, %c0_i64 : i64
              %69 = arith.minsi %68, %c3_i64 : i64
              %70 = arith.index_cast %69 : i64 to index
              %71 = vector.transfer_read %5[%70, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %72 = arith.select %66, %67, %71 : vector<5xi1>, vector<5xf32>
              %73 = vector.transfer_read %7[%45, %arg6, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %74 = arith.subf %72, %73 : vector<5xf32>
              %75 = arith.mulf %65, %74 : vector<5xf32>
              %76 = arith.mulf %60, %75 : vector<5xf32>
              %77 = arith.select %57, %76, %cst_1 : vector<5xi1>, vector<5xf32>
              %78 = vector.transfer_read %7[%45, %arg6, %c5], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %79 = arith.subf %cst, %78 : vector<5xf32>
              %80 = arith.mulf %78, %79 : vector<5xf32>
              %81 = vector.transfer_read %51[%arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %82 = arith.mulf %81, %72 : vector<5xf32>
              %83 = arith.mulf %80, %82 : vector<5xf32>
              %84 = arith.select %57, %83, %cst_1 : vector<5xi1>, vector<5xf32>
              %85 = arith.mulf %73, %73 : vector<5xf32>
              %86 = arith.subf %cst, %85 : vector<5xf32>
              %87 = arith.mulf %65, %59 : vector<5xf32>
              %88 = arith.mulf %86, %87 : vector<5xf32>
              %89 = arith.select %57, %88, %cst_1 : vector<5xi1>, vector<5xf32>
              %90 = arith.mulf %65, %58 : vector<5xf32>
              %91 = arith.mulf %81, %78 : vector<5xf32>
              %92 = arith.addf %90, %91 : vector<5xf32>
              %93 = arith.select %57, %92, %64 : vector<5xi1>, vector<5xf32>
              %94 = vector.transfer_write %77, %arg7[%45, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
              %95 = vector.transfer_write %84, %94[%45, %arg6, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
              %96 = vector.transfer_write %89, %95[%45, %arg6, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
              %97 = vector.transfer_write %77, %arg8[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
              %98 = vector.transfer_write %84, %97[%40, %arg6, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
              %99 = vector.transfer_write %93, %arg9[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %96, %98, %99 : tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>
            }
            %extracted_slice_3 = tensor.extract_slice %52#1[%40, 0, 0] [1, 2, 10] [1, 1, 1] : tensor<2x2x10xf32> to tensor<2x10xf32>
            %53 = linalg.matmul {lowering_config = #config42} ins(%extracted_slice_3, %15 : tensor<2x10xf32>, tensor<10x5xf32>) outs(%50 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %54 = scf.for %arg6 = %c0 to %c2 step %c1 iter_args(%arg7 = %arg4) -> (tensor<2x2x5xf32>) {
              %extracted_4 = tensor.extract %9[%arg6] : tensor<2xi64>
              %55 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
              %56 = vector.broadcast %42 : i64 to vector<5xi64>
              %57 = arith.cmpi sgt, %55, %56 : vector<5xi64>
              %58 = vector.transfer_read %53[%arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %59 = vector.transfer_read %arg7[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %60 = arith.select %57, %58, %59 : vector<5xi1>, vector<5xf32>
              %61 = vector.transfer_write %60, %arg7[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %61 : tensor<2x2x5xf32>
            }
            scf.yield %52#0, %48, %52#1, %54, %52#2 : tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          %35 = arith.addi %32, %workgroup_id_x : index
          %36 = scf.for %arg0 = %35 to %c4 step %c1 iter_args(%arg1 = %34#0) -> (tensor<4x2x15xf32>) {
            %extracted_slice = tensor.extract_slice %arg1[%arg0, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<4x2x15xf32> to tensor<2x15xf32>
            %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x15xf32>) attrs =  {lowering_config = #config43} {
            ^bb0(%out: f32):
              linalg.yield %cst_0 : f32
            } -> tensor<2x15xf32>
            %inserted_slice_3 = tensor.insert_slice %37 into %arg1[%arg0, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<2x15xf32> into tensor<4x2x15xf32>
            scf.yield %inserted_slice_3 : tensor<4x2x15xf32>
          }
          iree_codegen.store_to_buffer %36, %20 : tensor<4x2x15xf32> into memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#1, %22 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#2, %24 : tensor<2x2x10xf32> into memref<2x2x10xf32, strided<[20, 10, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#3, %26 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#4, %28 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_gru_reset_before_backward_loop {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
  hal.executable private @onnx_gru_grad_gru_reset_before_backward_1_loop {
    hal.executable.variant public @embedded_elf_x86_64 target(#executable_target_embedded_elf_x86_64) {
      hal.executable.export public @onnx_gru_grad_gru_reset_before_backward_1_loop ordinal(0) layout(#pipeline_layout12) count(%arg0: !hal.device) -> (index, index, index) {
        %c1 = arith.constant 1 : index
        hal.return %c1, %c1, %c1 : index, index, index
      }
      builtin.module {
        func.func @onnx_gru_grad_gru_reset_before_backward_1_loop() attributes {translation_info = #translation} {
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
          %0 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c384) flags("ReadOnly|Indirect") : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %1 = iree_codegen.load_from_buffer %0 : memref<i64, strided<[], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<i64>
          %extracted = tensor.extract %1[] : tensor<i64>
          %2 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c1024) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %3 = iree_codegen.load_from_buffer %2 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %4 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c832) flags("ReadOnly|Indirect") : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %5 = iree_codegen.load_from_buffer %4 : memref<4x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x5xf32>
          %6 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(1) alignment(64) offset(%c480) flags("ReadOnly|Indirect") : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %7 = iree_codegen.load_from_buffer %6 : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x15xf32>
          %8 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c448) flags("ReadOnly|Indirect") : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %9 = iree_codegen.load_from_buffer %8 : memref<2xi64, strided<[1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2xi64>
          %10 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(2) alignment(64) offset(%c40) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %11 = iree_codegen.load_from_buffer %10 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %12 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(3) alignment(64) offset(%c500) flags("ReadOnly|Indirect") : memref<5x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %13 = iree_codegen.load_from_buffer %12 : memref<5x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<5x5xf32>
          %14 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(3) alignment(64) offset(%c300) flags("ReadOnly|Indirect") : memref<10x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %15 = iree_codegen.load_from_buffer %14 : memref<10x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<10x5xf32>
          %16 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(4) alignment(64) offset(%c40) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %17 = iree_codegen.load_from_buffer %16 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %18 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(0) alignment(64) offset(%c1216) flags("ReadOnly|Indirect") : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %19 = iree_codegen.load_from_buffer %18 : memref<2x5xf32, strided<[5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x5xf32>
          %20 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(5) alignment(64) offset(%c2368) flags(Indirect) : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %21 = iree_codegen.load_from_buffer %20 : memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<4x2x15xf32>
          %22 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(6) alignment(64) offset(%c192) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %23 = iree_codegen.load_from_buffer %22 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %24 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(7) alignment(64) offset(%c0) flags(Indirect) : memref<2x2x10xf32, #hal.descriptor_type<storage_buffer>>
          %25 = iree_codegen.load_from_buffer %24 : memref<2x2x10xf32, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x10xf32>
          %26 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(8) alignment(64) offset(%c1984) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %27 = iree_codegen.load_from_buffer %26 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %28 = hal.interface.binding.subspan layout(#pipeline_layout12) binding(9) alignment(64) offset(%c2880) flags(Indirect) : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          %29 = iree_codegen.load_from_buffer %28 : memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>> -> tensor<2x2x5xf32>
          %workgroup_id_x = hal.interface.workgroup.id[0] : index
          %30 = arith.maxsi %extracted, %c0_i64 : i64
          %31 = arith.minsi %30, %c4_i64 : i64
          %32 = arith.index_cast %31 : i64 to index
          %33 = arith.remui %32, %c2 : index
          %inserted_slice = tensor.insert_slice %17 into %27[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %inserted_slice_2 = tensor.insert_slice %19 into %29[%33, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
          %34:5 = scf.for %arg0 = %c0 to %32 step %c1 iter_args(%arg1 = %21, %arg2 = %23, %arg3 = %25, %arg4 = %inserted_slice, %arg5 = %inserted_slice_2) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) {
            %37 = arith.index_cast %arg0 : index to i64
            %38 = arith.subi %32, %arg0 : index
            %39 = arith.remui %38, %c2 : index
            %40 = arith.subi %c1, %39 : index
            %41 = arith.maxsi %37, %c0_i64 : i64
            %42 = arith.minsi %41, %c3_i64 : i64
            %43 = arith.index_cast %42 : i64 to index
            %44 = arith.addi %37, %c1_i64 : i64
            %45 = scf.for %arg6 = %c0 to %c2 step %c1 iter_args(%arg7 = %arg2) -> (tensor<2x2x5xf32>) {
              %extracted_4 = tensor.extract %9[%arg6] : tensor<2xi64>
              %52 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
              %53 = vector.broadcast %37 : i64 to vector<5xi64>
              %54 = arith.cmpi sgt, %52, %53 : vector<5xi64>
              %55 = vector.transfer_read %7[%43, %arg6, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %56 = arith.mulf %55, %55 : vector<5xf32>
              %57 = arith.subf %cst, %56 : vector<5xf32>
              %58 = vector.transfer_read %3[%43, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %59 = vector.transfer_read %arg4[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %60 = arith.addf %58, %59 : vector<5xf32>
              %61 = vector.transfer_read %arg5[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %62 = arith.addf %60, %61 : vector<5xf32>
              %63 = vector.transfer_read %7[%43, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %64 = arith.subf %cst, %63 : vector<5xf32>
              %65 = arith.mulf %62, %64 : vector<5xf32>
              %66 = arith.mulf %57, %65 : vector<5xf32>
              %67 = arith.select %54, %66, %cst_1 : vector<5xi1>, vector<5xf32>
              %68 = vector.transfer_write %67, %arg7[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %68 : tensor<2x2x5xf32>
            }
            %extracted_slice = tensor.extract_slice %45[%40, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
            %46 = tensor.empty() : tensor<2x5xf32>
            %47 = linalg.fill {lowering_config = #config16} ins(%cst_0 : f32) outs(%46 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %48 = linalg.matmul {lowering_config = #config41} ins(%extracted_slice, %13 : tensor<2x5xf32>, tensor<5x5xf32>) outs(%47 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %49:3 = scf.for %arg6 = %c0 to %c2 step %c1 iter_args(%arg7 = %arg1, %arg8 = %arg3, %arg9 = %arg5) -> (tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>) {
              %extracted_4 = tensor.extract %9[%arg6] : tensor<2xi64>
              %52 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
              %53 = vector.broadcast %37 : i64 to vector<5xi64>
              %54 = arith.cmpi sgt, %52, %53 : vector<5xi64>
              %55 = vector.transfer_read %7[%43, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %56 = arith.subf %cst, %55 : vector<5xf32>
              %57 = arith.mulf %55, %56 : vector<5xf32>
              %58 = vector.transfer_read %3[%43, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %59 = vector.transfer_read %arg4[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %60 = arith.addf %58, %59 : vector<5xf32>
              %61 = vector.transfer_read %arg9[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %62 = arith.addf %60, %61 : vector<5xf32>
              %63 = vector.broadcast %44 : i64 to vector<5xi64>
              %64 = arith.cmpi sgt, %52, %63 : vector<5xi64>
              %65 = arith.maxsi %44, %c0_i64 : i64
              %66 = arith.minsi %65, %c3_i64 : i64
              %67 = arith.index_cast %66 : i64 to index
              %68 = vector.transfer_read %5[%67, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<4x2x5xf32>, vector<5xf32>
              %69 = vector.transfer_read %11[%arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %70 = arith.select %64, %68, %69 : vector<5xi1>, vector<5xf32>
              %71 = vector.transfer_read %7[%43, %arg6, %c10], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %72 = arith.subf %70, %71 : vector<5xf32>
              %73 = arith.mulf %62, %72 : vector<5xf32>
              %74 = arith.mulf %57, %73 : vector<5xf32>
              %75 = arith.select %54, %74, %cst_1 : vector<5xi1>, vector<5xf32>
              %76 = vector.transfer_read %7[%43, %arg6, %c5], %cst_0 {in_bounds = [true]} : tensor<4x2x15xf32>, vector<5xf32>
              %77 = arith.subf %cst, %76 : vector<5xf32>
              %78 = arith.mulf %76, %77 : vector<5xf32>
              %79 = vector.transfer_read %48[%arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %80 = arith.mulf %79, %70 : vector<5xf32>
              %81 = arith.mulf %78, %80 : vector<5xf32>
              %82 = arith.select %54, %81, %cst_1 : vector<5xi1>, vector<5xf32>
              %83 = arith.mulf %71, %71 : vector<5xf32>
              %84 = arith.subf %cst, %83 : vector<5xf32>
              %85 = arith.mulf %62, %56 : vector<5xf32>
              %86 = arith.mulf %84, %85 : vector<5xf32>
              %87 = arith.select %54, %86, %cst_1 : vector<5xi1>, vector<5xf32>
              %88 = arith.mulf %62, %55 : vector<5xf32>
              %89 = arith.mulf %79, %76 : vector<5xf32>
              %90 = arith.addf %88, %89 : vector<5xf32>
              %91 = arith.select %54, %90, %61 : vector<5xi1>, vector<5xf32>
              %92 = vector.transfer_write %75, %arg7[%43, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
              %93 = vector.transfer_write %82, %92[%43, %arg6, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
              %94 = vector.transfer_write %87, %93[%43, %arg6, %c10] {in_bounds = [true]} : vector<5xf32>, tensor<4x2x15xf32>
              %95 = vector.transfer_write %75, %arg8[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
              %96 = vector.transfer_write %82, %95[%40, %arg6, %c5] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x10xf32>
              %97 = vector.transfer_write %91, %arg9[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %94, %96, %97 : tensor<4x2x15xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>
            }
            %extracted_slice_3 = tensor.extract_slice %49#1[%40, 0, 0] [1, 2, 10] [1, 1, 1] : tensor<2x2x10xf32> to tensor<2x10xf32>
            %50 = linalg.matmul {lowering_config = #config42} ins(%extracted_slice_3, %15 : tensor<2x10xf32>, tensor<10x5xf32>) outs(%47 : tensor<2x5xf32>) -> tensor<2x5xf32>
            %51 = scf.for %arg6 = %c0 to %c2 step %c1 iter_args(%arg7 = %arg4) -> (tensor<2x2x5xf32>) {
              %extracted_4 = tensor.extract %9[%arg6] : tensor<2xi64>
              %52 = vector.broadcast %extracted_4 : i64 to vector<5xi64>
              %53 = vector.broadcast %37 : i64 to vector<5xi64>
              %54 = arith.cmpi sgt, %52, %53 : vector<5xi64>
              %55 = vector.transfer_read %50[%arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x5xf32>, vector<5xf32>
              %56 = vector.transfer_read %arg7[%39, %arg6, %c0], %cst_0 {in_bounds = [true]} : tensor<2x2x5xf32>, vector<5xf32>
              %57 = arith.select %54, %55, %56 : vector<5xi1>, vector<5xf32>
              %58 = vector.transfer_write %57, %arg7[%40, %arg6, %c0] {in_bounds = [true]} : vector<5xf32>, tensor<2x2x5xf32>
              scf.yield %58 : tensor<2x2x5xf32>
            }
            scf.yield %49#0, %45, %49#1, %51, %49#2 : tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
          }
          %35 = arith.addi %32, %workgroup_id_x : index
          %36 = scf.for %arg0 = %35 to %c4 step %c1 iter_args(%arg1 = %34#0) -> (tensor<4x2x15xf32>) {
            %extracted_slice = tensor.extract_slice %arg1[%arg0, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<4x2x15xf32> to tensor<2x15xf32>
            %37 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%extracted_slice : tensor<2x15xf32>) attrs =  {lowering_config = #config43} {
            ^bb0(%out: f32):
              linalg.yield %cst_0 : f32
            } -> tensor<2x15xf32>
            %inserted_slice_3 = tensor.insert_slice %37 into %arg1[%arg0, 0, 0] [1, 2, 15] [1, 1, 1] : tensor<2x15xf32> into tensor<4x2x15xf32>
            scf.yield %inserted_slice_3 : tensor<4x2x15xf32>
          }
          iree_codegen.store_to_buffer %36, %20 : tensor<4x2x15xf32> into memref<4x2x15xf32, strided<[30, 15, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#1, %22 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#2, %24 : tensor<2x2x10xf32> into memref<2x2x10xf32, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#3, %26 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          iree_codegen.store_to_buffer %34#4, %28 : tensor<2x2x5xf32> into memref<2x2x5xf32, strided<[10, 5, 1], offset: ?>, #hal.descriptor_type<storage_buffer>>
          return
        }
        iree_codegen.dispatch_config @onnx_gru_grad_gru_reset_before_backward_1_loop {
        ^bb0(%arg0: !hal.device):
          %c1 = arith.constant 1 : index
          iree_codegen.yield %c1, %c1, %c1 : index, index, index
        }
      }
    }
  }
}
