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
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map11 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map12 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map13 = affine_map<(d0, d1, d2) -> (d0)>
#map14 = affine_map<(d0) -> (d0)>
#map15 = affine_map<(d0) -> ()>
#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
#device_target_local = #hal.device.target<"local", [#executable_target_embedded_elf_x86_64]> : !hal.device
module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>} {
  util.global private @__device_0 = #device_target_local
  util.func public @lstm_block_cell_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.buffer_view, %arg13: !hal.buffer_view, %arg14: !hal.buffer_view, %arg15: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @lstm_block_cell_grad(%input0: tensor<2x3xf32>, %input1: tensor<2x5xf32>, %input2: tensor<2x5xf32>, %input3: tensor<8x20xf32>, %input4: tensor<5xf32>, %input5: tensor<5xf32>, %input6: tensor<5xf32>, %input7: tensor<20xf32>, %input8: tensor<2x5xf32>, %input9: tensor<2x5xf32>, %input10: tensor<2x5xf32>, %input11: tensor<2x5xf32>, %input12: tensor<2x5xf32>, %input13: tensor<2x5xf32>, %input14: tensor<2x5xf32>, %input15: tensor<2x5xf32>) -> (%output0: tensor<2x5xf32>, %output1: tensor<2x20xf32>, %output2: tensor<5xf32>, %output3: tensor<5xf32>, %output4: tensor<5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[2,5], cs: float32[2,5], f: float32[2,5], o: float32[2,5], ci: float32[2,5], co: float32[2,5], cs_grad: float32[2,5], h_grad: float32[2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "LSTMBlockCellGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "cs_prev_grad: float32[2,5], dicfo: float32[2,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
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
    %13 = iree_tensor_ext.compute_barrier.start %12 : tensor<2x5xf32> -> tensor<2x5xf32>
    %14 = util.optimization_barrier %10 : tensor<2x5xf32>
    %15 = iree_tensor_ext.compute_barrier.start %14 : tensor<2x5xf32> -> tensor<2x5xf32>
    %16 = util.optimization_barrier %9 : tensor<2x5xf32>
    %17 = iree_tensor_ext.compute_barrier.start %16 : tensor<2x5xf32> -> tensor<2x5xf32>
    %18 = util.optimization_barrier %8 : tensor<2x5xf32>
    %19 = iree_tensor_ext.compute_barrier.start %18 : tensor<2x5xf32> -> tensor<2x5xf32>
    %20 = util.optimization_barrier %7 : tensor<2x5xf32>
    %21 = iree_tensor_ext.compute_barrier.start %20 : tensor<2x5xf32> -> tensor<2x5xf32>
    %22 = util.optimization_barrier %6 : tensor<2x5xf32>
    %23 = iree_tensor_ext.compute_barrier.start %22 : tensor<2x5xf32> -> tensor<2x5xf32>
    %24 = util.optimization_barrier %5 : tensor<2x5xf32>
    %25 = iree_tensor_ext.compute_barrier.start %24 : tensor<2x5xf32> -> tensor<2x5xf32>
    %26 = util.optimization_barrier %4 : tensor<2x5xf32>
    %27 = iree_tensor_ext.compute_barrier.start %26 : tensor<2x5xf32> -> tensor<2x5xf32>
    %28 = util.optimization_barrier %3 : tensor<5xf32>
    %29 = iree_tensor_ext.compute_barrier.start %28 : tensor<5xf32> -> tensor<5xf32>
    %30 = util.optimization_barrier %2 : tensor<5xf32>
    %31 = iree_tensor_ext.compute_barrier.start %30 : tensor<5xf32> -> tensor<5xf32>
    %32 = util.optimization_barrier %1 : tensor<5xf32>
    %33 = iree_tensor_ext.compute_barrier.start %32 : tensor<5xf32> -> tensor<5xf32>
    %34 = util.optimization_barrier %0 : tensor<2x5xf32>
    %35 = iree_tensor_ext.compute_barrier.start %34 : tensor<2x5xf32> -> tensor<2x5xf32>
    %36 = tensor.empty() : tensor<2x5xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.subf %cst, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %38 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%21, %37 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%38, %13 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%39, %17 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.mulf %in, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.subf %cst, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%42, %13 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%43, %21 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%44, %15 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.addf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%40, %46 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%45, %47 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.addf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.mulf %in, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %50 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.subf %cst, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%50, %48 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%51, %27 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.subf %cst, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%23, %53 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%54, %48 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %56 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%55, %35 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.subf %cst, %in : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%27, %57 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%58, %48 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%59, %19 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%48, %23 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%60, %62 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%56, %64 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%63, %65 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.addf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %67 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%61, %66 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.addf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %68 = iree_tensor_ext.compute_barrier.end %67 : tensor<2x5xf32> -> tensor<2x5xf32>
    %69 = tensor.empty() : tensor<2x20xf32>
    %inserted_slice = tensor.insert_slice %60 into %69[0, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %inserted_slice_1 = tensor.insert_slice %52 into %inserted_slice[0, 5] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %inserted_slice_2 = tensor.insert_slice %56 into %inserted_slice_1[0, 10] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %inserted_slice_3 = tensor.insert_slice %40 into %inserted_slice_2[0, 15] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %70 = iree_tensor_ext.compute_barrier.end %inserted_slice_3 : tensor<2x20xf32> -> tensor<2x20xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%60, %35 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %72 = tensor.empty() : tensor<5xf32>
    %73 = linalg.fill ins(%cst_0 : f32) outs(%72 : tensor<5xf32>) -> tensor<5xf32>
    %74 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%71 : tensor<2x5xf32>) outs(%73 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %out, %in : f32
      linalg.yield %87 : f32
    } -> tensor<5xf32>
    %75 = iree_tensor_ext.compute_barrier.end %74 : tensor<5xf32> -> tensor<5xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%56, %35 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %77 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%76 : tensor<2x5xf32>) outs(%73 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %out, %in : f32
      linalg.yield %87 : f32
    } -> tensor<5xf32>
    %78 = iree_tensor_ext.compute_barrier.end %77 : tensor<5xf32> -> tensor<5xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%40, %25 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %87 = arith.mulf %in, %in_4 : f32
      linalg.yield %87 : f32
    } -> tensor<2x5xf32>
    %80 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%79 : tensor<2x5xf32>) outs(%73 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %out, %in : f32
      linalg.yield %87 : f32
    } -> tensor<5xf32>
    %81 = iree_tensor_ext.compute_barrier.end %80 : tensor<5xf32> -> tensor<5xf32>
    %82 = hal.tensor.export %68 "output0" : tensor<2x5xf32> -> !hal.buffer_view
    %83 = hal.tensor.export %70 "output1" : tensor<2x20xf32> -> !hal.buffer_view
    %84 = hal.tensor.export %75 "output2" : tensor<5xf32> -> !hal.buffer_view
    %85 = hal.tensor.export %78 "output3" : tensor<5xf32> -> !hal.buffer_view
    %86 = hal.tensor.export %81 "output4" : tensor<5xf32> -> !hal.buffer_view
    util.return %82, %83, %84, %85, %86 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  util.func public @block_lstm_grad_v2(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.buffer_view, %arg13: !hal.buffer_view, %arg14: !hal.buffer_view, %arg15: !hal.buffer_view, %arg16: !hal.buffer_view, %arg17: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @block_lstm_grad_v2(%input0: tensor<i64>, %input1: tensor<4x2x3xf32>, %input2: tensor<2x5xf32>, %input3: tensor<2x5xf32>, %input4: tensor<8x20xf32>, %input5: tensor<5xf32>, %input6: tensor<5xf32>, %input7: tensor<5xf32>, %input8: tensor<20xf32>, %input9: tensor<4x2x5xf32>, %input10: tensor<4x2x5xf32>, %input11: tensor<4x2x5xf32>, %input12: tensor<4x2x5xf32>, %input13: tensor<4x2x5xf32>, %input14: tensor<4x2x5xf32>, %input15: tensor<4x2x5xf32>, %input16: tensor<4x2x5xf32>, %input17: tensor<4x2x5xf32>) -> (%output0: tensor<4x2x3xf32>, %output1: tensor<2x5xf32>, %output2: tensor<2x5xf32>, %output3: tensor<8x20xf32>, %output4: tensor<5xf32>, %output5: tensor<5xf32>, %output6: tensor<5xf32>, %output7: tensor<20xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "seq_len_max: int64[], x: float32[4,2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[4,2,5], cs: float32[4,2,5], f: float32[4,2,5], o: float32[4,2,5], ci: float32[4,2,5], co: float32[4,2,5], h: float32[4,2,5], cs_grad: float32[4,2,5], h_grad: float32[4,2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "BlockLSTMGradV2", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "x_grad: float32[4,2,3], cs_prev_grad: float32[2,5], h_prev_grad: float32[2,5], w_grad: float32[8,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5], b_grad: float32[20]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %c0_i64 = arith.constant 0 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst_0 = arith.constant 0.000000e+00 : f32
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
    %20 = iree_tensor_ext.compute_barrier.start %19 : tensor<4x2x5xf32> -> tensor<4x2x5xf32>
    %21 = util.optimization_barrier %13 : tensor<4x2x5xf32>
    %22 = util.optimization_barrier %12 : tensor<4x2x5xf32>
    %23 = util.optimization_barrier %11 : tensor<4x2x5xf32>
    %24 = util.optimization_barrier %10 : tensor<4x2x5xf32>
    %25 = util.optimization_barrier %9 : tensor<4x2x5xf32>
    %26 = iree_tensor_ext.compute_barrier.start %25 : tensor<4x2x5xf32> -> tensor<4x2x5xf32>
    %27 = util.optimization_barrier %8 : tensor<4x2x5xf32>
    %28 = util.optimization_barrier %7 : tensor<5xf32>
    %29 = util.optimization_barrier %6 : tensor<5xf32>
    %30 = util.optimization_barrier %5 : tensor<5xf32>
    %31 = util.optimization_barrier %4 : tensor<8x20xf32>
    %32 = iree_tensor_ext.compute_barrier.start %31 : tensor<8x20xf32> -> tensor<8x20xf32>
    %33 = util.optimization_barrier %3 : tensor<2x5xf32>
    %34 = iree_tensor_ext.compute_barrier.start %33 : tensor<2x5xf32> -> tensor<2x5xf32>
    %35 = util.optimization_barrier %2 : tensor<2x5xf32>
    %36 = iree_tensor_ext.compute_barrier.start %35 : tensor<2x5xf32> -> tensor<2x5xf32>
    %37 = util.optimization_barrier %1 : tensor<4x2x3xf32>
    %38 = iree_tensor_ext.compute_barrier.start %37 : tensor<4x2x3xf32> -> tensor<4x2x3xf32>
    %39 = util.optimization_barrier %0 : tensor<i64>
    %40 = iree_tensor_ext.compute_barrier.start %39 : tensor<i64> -> tensor<i64>
    %41 = tensor.empty() : tensor<i64>
    %42 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%40 : tensor<i64>) outs(%41 : tensor<i64>) {
    ^bb0(%in: i64, %out: i64):
      %115 = arith.maxsi %in, %c0_i64 : i64
      %116 = arith.minui %115, %c4_i64 : i64
      linalg.yield %116 : i64
    } -> tensor<i64>
    %extracted_slice = tensor.extract_slice %32[3, 0] [5, 20] [1, 1] : tensor<8x20xf32> to tensor<5x20xf32>
    %43 = flow.tensor.clone %27 : tensor<4x2x5xf32>
    %44 = flow.tensor.clone %24 : tensor<4x2x5xf32>
    %45 = flow.tensor.clone %23 : tensor<4x2x5xf32>
    %46 = flow.tensor.clone %22 : tensor<4x2x5xf32>
    %47 = flow.tensor.clone %21 : tensor<4x2x5xf32>
    %48 = flow.tensor.clone %25 : tensor<4x2x5xf32>
    %49 = flow.tensor.clone %35 : tensor<2x5xf32>
    %50 = flow.tensor.clone %18 : tensor<4x2x5xf32>
    %51 = flow.tensor.clone %17 : tensor<4x2x5xf32>
    %52 = flow.tensor.clone %30 : tensor<5xf32>
    %53 = flow.tensor.clone %29 : tensor<5xf32>
    %54 = flow.tensor.clone %28 : tensor<5xf32>
    %55 = tensor.empty() : tensor<20x5xf32>
    %56 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<5x20xf32>) outs(%55 : tensor<20x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<20x5xf32>
    %57 = iree_tensor_ext.compute_barrier.end %56 : tensor<20x5xf32> -> tensor<20x5xf32>
    %58 = flow.tensor.clone %57 : tensor<20x5xf32>
    %59:3 = flow.dispatch @block_lstm_grad_v2_lstm_backward_loop::@block_lstm_grad_v2_lstm_backward_loop(%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %58, %cst, %cst) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %60 = iree_tensor_ext.compute_barrier.start %59#2 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %61 = iree_tensor_ext.compute_barrier.start %59#1 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %62 = iree_tensor_ext.compute_barrier.start %59#0 : tensor<4x2x20xf32> -> tensor<4x2x20xf32>
    %extracted_slice_1 = tensor.extract_slice %61[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %63 = iree_tensor_ext.compute_barrier.end %extracted_slice_1 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_2 = tensor.extract_slice %60[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %64 = iree_tensor_ext.compute_barrier.end %extracted_slice_2 : tensor<2x5xf32> -> tensor<2x5xf32>
    %65 = tensor.empty() : tensor<4x2xi64>
    %66 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%65 : tensor<4x2xi64>) {
    ^bb0(%out: i64):
      %115 = linalg.index 0 : index
      %116 = arith.index_cast %115 : index to i64
      linalg.yield %116 : i64
    } -> tensor<4x2xi64>
    %67 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%42 : tensor<i64>) outs(%65 : tensor<4x2xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x2xi64>
    %68 = tensor.empty() : tensor<4x2xi1>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%66, %67 : tensor<4x2xi64>, tensor<4x2xi64>) outs(%68 : tensor<4x2xi1>) {
    ^bb0(%in: i64, %in_15: i64, %out: i1):
      %115 = arith.cmpi slt, %in, %in_15 : i64
      linalg.yield %115 : i1
    } -> tensor<4x2xi1>
    %collapsed = tensor.collapse_shape %59#0 [[0, 1], [2]] : tensor<4x2x20xf32> into tensor<8x20xf32>
    %70 = iree_tensor_ext.compute_barrier.start %collapsed : tensor<8x20xf32> -> tensor<8x20xf32>
    %extracted_slice_3 = tensor.extract_slice %32[0, 0] [3, 20] [1, 1] : tensor<8x20xf32> to tensor<3x20xf32>
    %71 = tensor.empty() : tensor<8x3xf32>
    %72 = linalg.fill ins(%cst_0 : f32) outs(%71 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %73 = linalg.matmul indexing_maps = [#map6, #map7, #map8] ins(%70, %extracted_slice_3 : tensor<8x20xf32>, tensor<3x20xf32>) outs(%72 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %expanded = tensor.expand_shape %73 [[0, 1], [2]] output_shape [4, 2, 3] : tensor<8x3xf32> into tensor<4x2x3xf32>
    %74 = tensor.empty() : tensor<4x2x3xi1>
    %75 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<4x2xi1>) outs(%74 : tensor<4x2x3xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x3xi1>
    %76 = tensor.empty() : tensor<4x2x3xf32>
    %77 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %expanded : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%76 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %out: f32):
      %115 = arith.select %in, %in_15, %cst_0 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x3xf32>
    %78 = iree_tensor_ext.compute_barrier.end %77 : tensor<4x2x3xf32> -> tensor<4x2x3xf32>
    %79 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %38 : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%76 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_15: f32, %out: f32):
      %115 = arith.select %in, %in_15, %cst_0 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x3xf32>
    %80 = tensor.empty() : tensor<5x2x5xf32>
    %inserted_slice = tensor.insert_slice %34 into %80[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<5x2x5xf32>
    %inserted_slice_4 = tensor.insert_slice %20 into %inserted_slice[1, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<5x2x5xf32>
    %extracted_slice_5 = tensor.extract_slice %inserted_slice_4[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<5x2x5xf32> to tensor<4x2x5xf32>
    %81 = tensor.empty() : tensor<4x2x5xi1>
    %82 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<4x2xi1>) outs(%81 : tensor<4x2x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x5xi1>
    %83 = tensor.empty() : tensor<4x2x5xf32>
    %84 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %extracted_slice_5 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%83 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_15: f32, %out: f32):
      %115 = arith.select %in, %in_15, %cst_0 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x5xf32>
    %85 = tensor.empty() : tensor<4x2x8xf32>
    %inserted_slice_6 = tensor.insert_slice %79 into %85[0, 0, 0] [4, 2, 3] [1, 1, 1] : tensor<4x2x3xf32> into tensor<4x2x8xf32>
    %inserted_slice_7 = tensor.insert_slice %84 into %inserted_slice_6[0, 0, 3] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<4x2x8xf32>
    %collapsed_8 = tensor.collapse_shape %inserted_slice_7 [[0, 1], [2]] : tensor<4x2x8xf32> into tensor<8x8xf32>
    %86 = tensor.empty() : tensor<8x20xf32>
    %87 = linalg.fill ins(%cst_0 : f32) outs(%86 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %88 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed_8, %70 : tensor<8x8xf32>, tensor<8x20xf32>) outs(%87 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %89 = iree_tensor_ext.compute_barrier.end %88 : tensor<8x20xf32> -> tensor<8x20xf32>
    %90 = tensor.empty() : tensor<20xf32>
    %91 = linalg.fill ins(%cst_0 : f32) outs(%90 : tensor<20xf32>) -> tensor<20xf32>
    %92 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%70 : tensor<8x20xf32>) outs(%91 : tensor<20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.addf %out, %in : f32
      linalg.yield %115 : f32
    } -> tensor<20xf32>
    %93 = iree_tensor_ext.compute_barrier.end %92 : tensor<20xf32> -> tensor<20xf32>
    %extracted_slice_9 = tensor.extract_slice %62[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x20xf32> to tensor<4x2x5xf32>
    %extracted_slice_10 = tensor.extract_slice %62[0, 0, 5] [4, 2, 5] [1, 1, 1] : tensor<4x2x20xf32> to tensor<4x2x5xf32>
    %extracted_slice_11 = tensor.extract_slice %62[0, 0, 15] [4, 2, 5] [1, 1, 1] : tensor<4x2x20xf32> to tensor<4x2x5xf32>
    %inserted_slice_12 = tensor.insert_slice %36 into %80[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<5x2x5xf32>
    %inserted_slice_13 = tensor.insert_slice %26 into %inserted_slice_12[1, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<5x2x5xf32>
    %extracted_slice_14 = tensor.extract_slice %inserted_slice_13[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<5x2x5xf32> to tensor<4x2x5xf32>
    %94 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %extracted_slice_14 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%83 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_15: f32, %out: f32):
      %115 = arith.select %in, %in_15, %cst_0 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x5xf32>
    %95 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82, %26 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%83 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_15: f32, %out: f32):
      %115 = arith.select %in, %in_15, %cst_0 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x5xf32>
    %96 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_9, %94 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%83 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %115 = arith.mulf %in, %in_15 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x5xf32>
    %97 = tensor.empty() : tensor<5xf32>
    %98 = linalg.fill ins(%cst_0 : f32) outs(%97 : tensor<5xf32>) -> tensor<5xf32>
    %99 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "reduction", "reduction"]} ins(%96 : tensor<4x2x5xf32>) outs(%98 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.addf %out, %in : f32
      linalg.yield %115 : f32
    } -> tensor<5xf32>
    %100 = iree_tensor_ext.compute_barrier.end %99 : tensor<5xf32> -> tensor<5xf32>
    %101 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_10, %94 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%83 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %115 = arith.mulf %in, %in_15 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x5xf32>
    %102 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "reduction", "reduction"]} ins(%101 : tensor<4x2x5xf32>) outs(%98 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.addf %out, %in : f32
      linalg.yield %115 : f32
    } -> tensor<5xf32>
    %103 = iree_tensor_ext.compute_barrier.end %102 : tensor<5xf32> -> tensor<5xf32>
    %104 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_11, %95 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%83 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %115 = arith.mulf %in, %in_15 : f32
      linalg.yield %115 : f32
    } -> tensor<4x2x5xf32>
    %105 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["parallel", "reduction", "reduction"]} ins(%104 : tensor<4x2x5xf32>) outs(%98 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %115 = arith.addf %out, %in : f32
      linalg.yield %115 : f32
    } -> tensor<5xf32>
    %106 = iree_tensor_ext.compute_barrier.end %105 : tensor<5xf32> -> tensor<5xf32>
    %107 = hal.tensor.export %78 "output0" : tensor<4x2x3xf32> -> !hal.buffer_view
    %108 = hal.tensor.export %63 "output1" : tensor<2x5xf32> -> !hal.buffer_view
    %109 = hal.tensor.export %64 "output2" : tensor<2x5xf32> -> !hal.buffer_view
    %110 = hal.tensor.export %89 "output3" : tensor<8x20xf32> -> !hal.buffer_view
    %111 = hal.tensor.export %100 "output4" : tensor<5xf32> -> !hal.buffer_view
    %112 = hal.tensor.export %103 "output5" : tensor<5xf32> -> !hal.buffer_view
    %113 = hal.tensor.export %106 "output6" : tensor<5xf32> -> !hal.buffer_view
    %114 = hal.tensor.export %93 "output7" : tensor<20xf32> -> !hal.buffer_view
    util.return %107, %108, %109, %110, %111, %112, %113, %114 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
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
  util.func public @gru_block_cell_parameter_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @gru_block_cell_parameter_grad(%input0: tensor<2x3xf32>, %input1: tensor<2x5xf32>, %input2: tensor<2x5xf32>, %input3: tensor<2x5xf32>, %input4: tensor<2x10xf32>) -> (%output0: tensor<8x10xf32>, %output1: tensor<8x5xf32>, %output2: tensor<10xf32>, %output3: tensor<5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], h_prev: float32[2,5], r: float32[2,5], d_c_bar: float32[2,5], d_r_bar_u_bar: float32[2,10]", rnn_compiler.attributes = "{}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "GRUBlockCellParameterGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "d_w_ru: float32[8,10], d_w_c: float32[8,5], d_b_ru: float32[10], d_b_c: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<2x3xf32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x5xf32>
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x5xf32>
    %3 = hal.tensor.import %arg3 "input3" : !hal.buffer_view -> tensor<2x5xf32>
    %4 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<2x10xf32>
    %5 = util.optimization_barrier %4 : tensor<2x10xf32>
    %6 = iree_tensor_ext.compute_barrier.start %5 : tensor<2x10xf32> -> tensor<2x10xf32>
    %7 = util.optimization_barrier %3 : tensor<2x5xf32>
    %8 = iree_tensor_ext.compute_barrier.start %7 : tensor<2x5xf32> -> tensor<2x5xf32>
    %9 = util.optimization_barrier %2 : tensor<2x5xf32>
    %10 = iree_tensor_ext.compute_barrier.start %9 : tensor<2x5xf32> -> tensor<2x5xf32>
    %11 = util.optimization_barrier %1 : tensor<2x5xf32>
    %12 = iree_tensor_ext.compute_barrier.start %11 : tensor<2x5xf32> -> tensor<2x5xf32>
    %13 = util.optimization_barrier %0 : tensor<2x3xf32>
    %14 = iree_tensor_ext.compute_barrier.start %13 : tensor<2x3xf32> -> tensor<2x3xf32>
    %15 = tensor.empty() : tensor<2x8xf32>
    %inserted_slice = tensor.insert_slice %14 into %15[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x8xf32>
    %inserted_slice_0 = tensor.insert_slice %12 into %inserted_slice[0, 3] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x8xf32>
    %16 = tensor.empty() : tensor<8x10xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<8x10xf32>) -> tensor<8x10xf32>
    %18 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%inserted_slice_0, %6 : tensor<2x8xf32>, tensor<2x10xf32>) outs(%17 : tensor<8x10xf32>) -> tensor<8x10xf32>
    %19 = iree_tensor_ext.compute_barrier.end %18 : tensor<8x10xf32> -> tensor<8x10xf32>
    %20 = tensor.empty() : tensor<2x5xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%20 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %38 = arith.mulf %in, %in_2 : f32
      linalg.yield %38 : f32
    } -> tensor<2x5xf32>
    %inserted_slice_1 = tensor.insert_slice %21 into %inserted_slice[0, 3] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x8xf32>
    %22 = tensor.empty() : tensor<8x5xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %24 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%inserted_slice_1, %8 : tensor<2x8xf32>, tensor<2x5xf32>) outs(%23 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %25 = iree_tensor_ext.compute_barrier.end %24 : tensor<8x5xf32> -> tensor<8x5xf32>
    %26 = tensor.empty() : tensor<10xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<10xf32>) -> tensor<10xf32>
    %28 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<2x10xf32>) outs(%27 : tensor<10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %out, %in : f32
      linalg.yield %38 : f32
    } -> tensor<10xf32>
    %29 = iree_tensor_ext.compute_barrier.end %28 : tensor<10xf32> -> tensor<10xf32>
    %30 = tensor.empty() : tensor<5xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<5xf32>) -> tensor<5xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<2x5xf32>) outs(%31 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %out, %in : f32
      linalg.yield %38 : f32
    } -> tensor<5xf32>
    %33 = iree_tensor_ext.compute_barrier.end %32 : tensor<5xf32> -> tensor<5xf32>
    %34 = hal.tensor.export %19 "output0" : tensor<8x10xf32> -> !hal.buffer_view
    %35 = hal.tensor.export %25 "output1" : tensor<8x5xf32> -> !hal.buffer_view
    %36 = hal.tensor.export %29 "output2" : tensor<10xf32> -> !hal.buffer_view
    %37 = hal.tensor.export %33 "output3" : tensor<5xf32> -> !hal.buffer_view
    util.return %34, %35, %36, %37 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  util.func public @onnx_lstm_prepack(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_lstm_prepack(%input0: tensor<2x20x3xf32>, %input1: tensor<2x20x5xf32>, %input2: tensor<2x40xf32>, %input3: tensor<2x15xf32>) -> (%output0: tensor<20xf32>, %output1: tensor<5x20xf32>, %output2: tensor<20xf32>, %output3: tensor<5x20xf32>)"}} {
    %0 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x20x5xf32>
    %1 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x40xf32>
    %2 = util.optimization_barrier %1 : tensor<2x40xf32>
    %3 = iree_tensor_ext.compute_barrier.start %2 : tensor<2x40xf32> -> tensor<2x40xf32>
    %4 = util.optimization_barrier %0 : tensor<2x20x5xf32>
    %5 = iree_tensor_ext.compute_barrier.start %4 : tensor<2x20x5xf32> -> tensor<2x20x5xf32>
    %extracted_slice = tensor.extract_slice %3[0, 0] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %extracted_slice_0 = tensor.extract_slice %3[0, 20] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %6 = tensor.empty() : tensor<20xf32>
    %7 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel"]} ins(%extracted_slice, %extracted_slice_0 : tensor<20xf32>, tensor<20xf32>) outs(%6 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %24 = arith.addf %in, %in_5 : f32
      linalg.yield %24 : f32
    } -> tensor<20xf32>
    %8 = iree_tensor_ext.compute_barrier.end %7 : tensor<20xf32> -> tensor<20xf32>
    %extracted_slice_1 = tensor.extract_slice %5[0, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<20x5xf32>
    %9 = flow.tensor.clone %8 : tensor<20xf32>
    %10 = tensor.empty() : tensor<5x20xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_1 : tensor<20x5xf32>) outs(%10 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %12 = iree_tensor_ext.compute_barrier.end %11 : tensor<5x20xf32> -> tensor<5x20xf32>
    %13 = flow.tensor.clone %12 : tensor<5x20xf32>
    %extracted_slice_2 = tensor.extract_slice %3[1, 0] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %extracted_slice_3 = tensor.extract_slice %3[1, 20] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %14 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel"]} ins(%extracted_slice_2, %extracted_slice_3 : tensor<20xf32>, tensor<20xf32>) outs(%6 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %24 = arith.addf %in, %in_5 : f32
      linalg.yield %24 : f32
    } -> tensor<20xf32>
    %15 = iree_tensor_ext.compute_barrier.end %14 : tensor<20xf32> -> tensor<20xf32>
    %extracted_slice_4 = tensor.extract_slice %5[1, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<20x5xf32>
    %16 = flow.tensor.clone %15 : tensor<20xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_4 : tensor<20x5xf32>) outs(%10 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %18 = iree_tensor_ext.compute_barrier.end %17 : tensor<5x20xf32> -> tensor<5x20xf32>
    %19 = flow.tensor.clone %18 : tensor<5x20xf32>
    %20 = hal.tensor.export %9 "output0" : tensor<20xf32> -> !hal.buffer_view
    %21 = hal.tensor.export %13 "output1" : tensor<5x20xf32> -> !hal.buffer_view
    %22 = hal.tensor.export %16 "output2" : tensor<20xf32> -> !hal.buffer_view
    %23 = hal.tensor.export %19 "output3" : tensor<5x20xf32> -> !hal.buffer_view
    util.return %20, %21, %22, %23 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  util.func public @onnx_lstm_prepacked(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view, %arg10: !hal.buffer_view, %arg11: !hal.buffer_view, %arg12: !hal.fence, %arg13: !hal.fence) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "async func @onnx_lstm_prepacked(%input0: tensor<4x2x3xf32>, %input1: tensor<2x20x3xf32>, %input2: tensor<2x20x5xf32>, %input3: tensor<2x40xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<2x2x5xf32>, %input7: tensor<2x15xf32>, %input8: tensor<20xf32>, %input9: tensor<5x20xf32>, %input10: tensor<20xf32>, %input11: tensor<5x20xf32>) -> (%output0: tensor<4x2x2x5xf32>, %output1: tensor<2x2x5xf32>, %output2: tensor<2x2x5xf32>)", iree.abi.model = "coarse-fences"}} {
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst = arith.constant 0.000000e+00 : f32
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
    %11 = iree_tensor_ext.compute_barrier.start %10 : tensor<2x15xf32> -> tensor<2x15xf32>
    %12 = util.optimization_barrier %4 : tensor<2x2x5xf32>
    %13 = iree_tensor_ext.compute_barrier.start %12 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %14 = util.optimization_barrier %3 : tensor<2x2x5xf32>
    %15 = iree_tensor_ext.compute_barrier.start %14 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %16 = util.optimization_barrier %2 : tensor<2xi32>
    %17 = iree_tensor_ext.compute_barrier.start %16 : tensor<2xi32> -> tensor<2xi32>
    %18 = util.optimization_barrier %1 : tensor<2x20x3xf32>
    %19 = iree_tensor_ext.compute_barrier.start %18 : tensor<2x20x3xf32> -> tensor<2x20x3xf32>
    %20 = util.optimization_barrier %0 : tensor<4x2x3xf32>
    %21 = tensor.empty() : tensor<i32>
    %22 = linalg.fill ins(%c0_i32 : i32) outs(%21 : tensor<i32>) -> tensor<i32>
    %23 = linalg.generic {indexing_maps = [#map14, #map15], iterator_types = ["reduction"]} ins(%17 : tensor<2xi32>) outs(%22 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %88 = arith.maxsi %out, %in : i32
      linalg.yield %88 : i32
    } -> tensor<i32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%23 : tensor<i32>) outs(%21 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %88 = arith.maxsi %in, %c0_i32 : i32
      %89 = arith.minui %88, %c4_i32 : i32
      linalg.yield %89 : i32
    } -> tensor<i32>
    %25 = tensor.empty() : tensor<2xi32>
    %26 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%17 : tensor<2xi32>) outs(%25 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      %88 = arith.maxsi %in, %c0_i32 : i32
      %89 = arith.minui %88, %c4_i32 : i32
      linalg.yield %89 : i32
    } -> tensor<2xi32>
    %27 = tensor.empty() : tensor<i64>
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%24 : tensor<i32>) outs(%27 : tensor<i64>) {
    ^bb0(%in: i32, %out: i64):
      %88 = arith.extsi %in : i32 to i64
      linalg.yield %88 : i64
    } -> tensor<i64>
    %29 = iree_tensor_ext.compute_barrier.end %28 : tensor<i64> -> tensor<i64>
    %30 = tensor.empty() : tensor<2xi64>
    %31 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%26 : tensor<2xi32>) outs(%30 : tensor<2xi64>) {
    ^bb0(%in: i32, %out: i64):
      %88 = arith.extsi %in : i32 to i64
      linalg.yield %88 : i64
    } -> tensor<2xi64>
    %32 = iree_tensor_ext.compute_barrier.end %31 : tensor<2xi64> -> tensor<2xi64>
    %extracted_slice = tensor.extract_slice %19[0, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<20x3xf32>
    %collapsed = tensor.collapse_shape %20 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %33 = iree_tensor_ext.compute_barrier.start %collapsed : tensor<8x3xf32> -> tensor<8x3xf32>
    %34 = tensor.empty() : tensor<8x20xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %36 = linalg.matmul indexing_maps = [#map6, #map7, #map8] ins(%33, %extracted_slice : tensor<8x3xf32>, tensor<20x3xf32>) outs(%35 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %37 = iree_tensor_ext.compute_barrier.end %36 : tensor<8x20xf32> -> tensor<8x20xf32>
    %expanded = tensor.expand_shape %37 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_0 = tensor.extract_slice %11[0, 0] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %38 = iree_tensor_ext.compute_barrier.end %extracted_slice_0 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_1 = tensor.extract_slice %11[0, 5] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %39 = iree_tensor_ext.compute_barrier.end %extracted_slice_1 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_2 = tensor.extract_slice %11[0, 10] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %40 = iree_tensor_ext.compute_barrier.end %extracted_slice_2 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_3 = tensor.extract_slice %15[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %41 = iree_tensor_ext.compute_barrier.end %extracted_slice_3 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_4 = tensor.extract_slice %13[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %42 = iree_tensor_ext.compute_barrier.end %extracted_slice_4 : tensor<2x5xf32> -> tensor<2x5xf32>
    %43 = flow.tensor.clone %expanded : tensor<4x2x20xf32>
    %44 = flow.tensor.clone %38 : tensor<5xf32>
    %45 = flow.tensor.clone %39 : tensor<5xf32>
    %46 = flow.tensor.clone %40 : tensor<5xf32>
    %47 = flow.tensor.clone %32 : tensor<2xi64>
    %48 = flow.tensor.clone %6 : tensor<20xf32>
    %49 = flow.tensor.clone %41 : tensor<2x5xf32>
    %50 = flow.tensor.clone %42 : tensor<2x5xf32>
    %51 = flow.tensor.clone %7 : tensor<5x20xf32>
    %52 = flow.tensor.clone %49 : tensor<2x5xf32>
    %53 = flow.tensor.clone %50 : tensor<2x5xf32>
    %54:3 = flow.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%29, %43, %44, %45, %46, %47, %48, %51, %52, %53) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %55 = iree_tensor_ext.compute_barrier.start %54#2 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %56 = iree_tensor_ext.compute_barrier.start %54#1 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %57 = iree_tensor_ext.compute_barrier.start %54#0 : tensor<4x2x5xf32> -> tensor<4x2x5xf32>
    %extracted_slice_5 = tensor.extract_slice %56[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_6 = tensor.extract_slice %55[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_7 = tensor.extract_slice %19[1, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<20x3xf32>
    %58 = linalg.matmul indexing_maps = [#map6, #map7, #map8] ins(%33, %extracted_slice_7 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%35 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %59 = iree_tensor_ext.compute_barrier.end %58 : tensor<8x20xf32> -> tensor<8x20xf32>
    %expanded_8 = tensor.expand_shape %59 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_9 = tensor.extract_slice %11[1, 0] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %60 = iree_tensor_ext.compute_barrier.end %extracted_slice_9 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_10 = tensor.extract_slice %11[1, 5] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %61 = iree_tensor_ext.compute_barrier.end %extracted_slice_10 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_11 = tensor.extract_slice %11[1, 10] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %62 = iree_tensor_ext.compute_barrier.end %extracted_slice_11 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_12 = tensor.extract_slice %15[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %63 = iree_tensor_ext.compute_barrier.end %extracted_slice_12 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_13 = tensor.extract_slice %13[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %64 = iree_tensor_ext.compute_barrier.end %extracted_slice_13 : tensor<2x5xf32> -> tensor<2x5xf32>
    %65 = flow.tensor.clone %expanded_8 : tensor<4x2x20xf32>
    %66 = flow.tensor.clone %60 : tensor<5xf32>
    %67 = flow.tensor.clone %61 : tensor<5xf32>
    %68 = flow.tensor.clone %62 : tensor<5xf32>
    %69 = flow.tensor.clone %8 : tensor<20xf32>
    %70 = flow.tensor.clone %63 : tensor<2x5xf32>
    %71 = flow.tensor.clone %64 : tensor<2x5xf32>
    %72 = flow.tensor.clone %9 : tensor<5x20xf32>
    %73 = flow.tensor.clone %70 : tensor<2x5xf32>
    %74 = flow.tensor.clone %71 : tensor<2x5xf32>
    %75:3 = flow.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%29, %65, %66, %67, %68, %47, %69, %72, %73, %74) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %76 = iree_tensor_ext.compute_barrier.start %75#2 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %77 = iree_tensor_ext.compute_barrier.start %75#1 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %78 = iree_tensor_ext.compute_barrier.start %75#0 : tensor<4x2x5xf32> -> tensor<4x2x5xf32>
    %extracted_slice_14 = tensor.extract_slice %77[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_15 = tensor.extract_slice %76[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %79 = tensor.empty() : tensor<4x2x2x5xf32>
    %inserted_slice = tensor.insert_slice %57 into %79[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x5xf32> into tensor<4x2x2x5xf32>
    %inserted_slice_16 = tensor.insert_slice %78 into %inserted_slice[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x5xf32> into tensor<4x2x2x5xf32>
    %80 = iree_tensor_ext.compute_barrier.end %inserted_slice_16 : tensor<4x2x2x5xf32> -> tensor<4x2x2x5xf32>
    %81 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_17 = tensor.insert_slice %extracted_slice_5 into %81[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_18 = tensor.insert_slice %extracted_slice_14 into %inserted_slice_17[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %82 = iree_tensor_ext.compute_barrier.end %inserted_slice_18 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %inserted_slice_19 = tensor.insert_slice %extracted_slice_6 into %81[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_20 = tensor.insert_slice %extracted_slice_15 into %inserted_slice_19[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %83 = iree_tensor_ext.compute_barrier.end %inserted_slice_20 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %84:3 = hal.tensor.barrier join(%80, %82, %83 : tensor<4x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) => %arg13 : !hal.fence
    %85 = hal.tensor.export %84#0 "output0" : tensor<4x2x2x5xf32> -> !hal.buffer_view
    %86 = hal.tensor.export %84#1 "output1" : tensor<2x2x5xf32> -> !hal.buffer_view
    %87 = hal.tensor.export %84#2 "output2" : tensor<2x2x5xf32> -> !hal.buffer_view
    util.return %85, %86, %87 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
  }
  util.func public @onnx_lstm(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_lstm(%input0: tensor<4x2x3xf32>, %input1: tensor<2x20x3xf32>, %input2: tensor<2x20x5xf32>, %input3: tensor<2x40xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<2x2x5xf32>, %input7: tensor<2x15xf32>) -> (%output0: tensor<4x2x2x5xf32>, %output1: tensor<2x2x5xf32>, %output2: tensor<2x2x5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,20,3], R: float32[2,20,5], B: float32[2,40], sequence_lens: int32[2], initial_h: float32[2,2,5], initial_c: float32[2,2,5], P: float32[2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22HardSigmoid Softsign Elu Sigmoid ScaledTanh Softplus\22, \22activation_alpha\22: \220.3 1.2 0.8\22, \22activation_beta\22: \220.4 0.9\22, \22clip\22: 2.5, \22hidden_size\22: 0, \22layout\22: 0, \22input_forget\22: 0, \22inputs\22: \22B sequence_lens initial_h initial_c P\22, \22is_training\22: false}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.LSTM", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "Y: float32[4,2,2,5], Y_h: float32[2,2,5], Y_c: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst = arith.constant 0.000000e+00 : f32
    %0 = hal.tensor.import %arg0 "input0" : !hal.buffer_view -> tensor<4x2x3xf32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<2x20x3xf32>
    %2 = hal.tensor.import %arg2 "input2" : !hal.buffer_view -> tensor<2x20x5xf32>
    %3 = hal.tensor.import %arg3 "input3" : !hal.buffer_view -> tensor<2x40xf32>
    %4 = hal.tensor.import %arg4 "input4" : !hal.buffer_view -> tensor<2xi32>
    %5 = hal.tensor.import %arg5 "input5" : !hal.buffer_view -> tensor<2x2x5xf32>
    %6 = hal.tensor.import %arg6 "input6" : !hal.buffer_view -> tensor<2x2x5xf32>
    %7 = hal.tensor.import %arg7 "input7" : !hal.buffer_view -> tensor<2x15xf32>
    %8 = util.optimization_barrier %7 : tensor<2x15xf32>
    %9 = iree_tensor_ext.compute_barrier.start %8 : tensor<2x15xf32> -> tensor<2x15xf32>
    %10 = util.optimization_barrier %6 : tensor<2x2x5xf32>
    %11 = iree_tensor_ext.compute_barrier.start %10 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %12 = util.optimization_barrier %5 : tensor<2x2x5xf32>
    %13 = iree_tensor_ext.compute_barrier.start %12 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %14 = util.optimization_barrier %4 : tensor<2xi32>
    %15 = iree_tensor_ext.compute_barrier.start %14 : tensor<2xi32> -> tensor<2xi32>
    %16 = util.optimization_barrier %3 : tensor<2x40xf32>
    %17 = iree_tensor_ext.compute_barrier.start %16 : tensor<2x40xf32> -> tensor<2x40xf32>
    %18 = util.optimization_barrier %2 : tensor<2x20x5xf32>
    %19 = iree_tensor_ext.compute_barrier.start %18 : tensor<2x20x5xf32> -> tensor<2x20x5xf32>
    %20 = util.optimization_barrier %1 : tensor<2x20x3xf32>
    %21 = iree_tensor_ext.compute_barrier.start %20 : tensor<2x20x3xf32> -> tensor<2x20x3xf32>
    %22 = util.optimization_barrier %0 : tensor<4x2x3xf32>
    %23 = tensor.empty() : tensor<i32>
    %24 = linalg.fill ins(%c0_i32 : i32) outs(%23 : tensor<i32>) -> tensor<i32>
    %25 = linalg.generic {indexing_maps = [#map14, #map15], iterator_types = ["reduction"]} ins(%15 : tensor<2xi32>) outs(%24 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %93 = arith.maxsi %out, %in : i32
      linalg.yield %93 : i32
    } -> tensor<i32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%25 : tensor<i32>) outs(%23 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %93 = arith.maxsi %in, %c0_i32 : i32
      %94 = arith.minui %93, %c4_i32 : i32
      linalg.yield %94 : i32
    } -> tensor<i32>
    %27 = tensor.empty() : tensor<2xi32>
    %28 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%15 : tensor<2xi32>) outs(%27 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      %93 = arith.maxsi %in, %c0_i32 : i32
      %94 = arith.minui %93, %c4_i32 : i32
      linalg.yield %94 : i32
    } -> tensor<2xi32>
    %29 = tensor.empty() : tensor<i64>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%26 : tensor<i32>) outs(%29 : tensor<i64>) {
    ^bb0(%in: i32, %out: i64):
      %93 = arith.extsi %in : i32 to i64
      linalg.yield %93 : i64
    } -> tensor<i64>
    %31 = iree_tensor_ext.compute_barrier.end %30 : tensor<i64> -> tensor<i64>
    %32 = tensor.empty() : tensor<2xi64>
    %33 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%28 : tensor<2xi32>) outs(%32 : tensor<2xi64>) {
    ^bb0(%in: i32, %out: i64):
      %93 = arith.extsi %in : i32 to i64
      linalg.yield %93 : i64
    } -> tensor<2xi64>
    %34 = iree_tensor_ext.compute_barrier.end %33 : tensor<2xi64> -> tensor<2xi64>
    %extracted_slice = tensor.extract_slice %21[0, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<20x3xf32>
    %collapsed = tensor.collapse_shape %22 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %35 = iree_tensor_ext.compute_barrier.start %collapsed : tensor<8x3xf32> -> tensor<8x3xf32>
    %36 = tensor.empty() : tensor<8x20xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %38 = linalg.matmul indexing_maps = [#map6, #map7, #map8] ins(%35, %extracted_slice : tensor<8x3xf32>, tensor<20x3xf32>) outs(%37 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %39 = iree_tensor_ext.compute_barrier.end %38 : tensor<8x20xf32> -> tensor<8x20xf32>
    %expanded = tensor.expand_shape %39 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_0 = tensor.extract_slice %17[0, 0] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %extracted_slice_1 = tensor.extract_slice %17[0, 20] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %40 = tensor.empty() : tensor<20xf32>
    %41 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel"]} ins(%extracted_slice_0, %extracted_slice_1 : tensor<20xf32>, tensor<20xf32>) outs(%40 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %93 = arith.addf %in, %in_27 : f32
      linalg.yield %93 : f32
    } -> tensor<20xf32>
    %42 = iree_tensor_ext.compute_barrier.end %41 : tensor<20xf32> -> tensor<20xf32>
    %extracted_slice_2 = tensor.extract_slice %9[0, 0] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %43 = iree_tensor_ext.compute_barrier.end %extracted_slice_2 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_3 = tensor.extract_slice %9[0, 5] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %44 = iree_tensor_ext.compute_barrier.end %extracted_slice_3 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_4 = tensor.extract_slice %9[0, 10] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %45 = iree_tensor_ext.compute_barrier.end %extracted_slice_4 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_5 = tensor.extract_slice %19[0, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<20x5xf32>
    %extracted_slice_6 = tensor.extract_slice %13[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %46 = iree_tensor_ext.compute_barrier.end %extracted_slice_6 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_7 = tensor.extract_slice %11[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %47 = iree_tensor_ext.compute_barrier.end %extracted_slice_7 : tensor<2x5xf32> -> tensor<2x5xf32>
    %48 = flow.tensor.clone %expanded : tensor<4x2x20xf32>
    %49 = flow.tensor.clone %43 : tensor<5xf32>
    %50 = flow.tensor.clone %44 : tensor<5xf32>
    %51 = flow.tensor.clone %45 : tensor<5xf32>
    %52 = flow.tensor.clone %34 : tensor<2xi64>
    %53 = flow.tensor.clone %42 : tensor<20xf32>
    %54 = flow.tensor.clone %46 : tensor<2x5xf32>
    %55 = flow.tensor.clone %47 : tensor<2x5xf32>
    %56 = tensor.empty() : tensor<5x20xf32>
    %57 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5 : tensor<20x5xf32>) outs(%56 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %58 = iree_tensor_ext.compute_barrier.end %57 : tensor<5x20xf32> -> tensor<5x20xf32>
    %59 = flow.tensor.clone %58 : tensor<5x20xf32>
    %60 = flow.tensor.clone %54 : tensor<2x5xf32>
    %61 = flow.tensor.clone %55 : tensor<2x5xf32>
    %62:3 = flow.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%31, %48, %49, %50, %51, %52, %53, %59, %60, %61) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_8 = tensor.extract_slice %62#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_9 = tensor.extract_slice %62#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_10 = tensor.extract_slice %21[1, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<20x3xf32>
    %63 = linalg.matmul indexing_maps = [#map6, #map7, #map8] ins(%35, %extracted_slice_10 : tensor<8x3xf32>, tensor<20x3xf32>) outs(%37 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %64 = iree_tensor_ext.compute_barrier.end %63 : tensor<8x20xf32> -> tensor<8x20xf32>
    %expanded_11 = tensor.expand_shape %64 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_12 = tensor.extract_slice %17[1, 0] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %extracted_slice_13 = tensor.extract_slice %17[1, 20] [1, 20] [1, 1] : tensor<2x40xf32> to tensor<20xf32>
    %65 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel"]} ins(%extracted_slice_12, %extracted_slice_13 : tensor<20xf32>, tensor<20xf32>) outs(%40 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_27: f32, %out: f32):
      %93 = arith.addf %in, %in_27 : f32
      linalg.yield %93 : f32
    } -> tensor<20xf32>
    %66 = iree_tensor_ext.compute_barrier.end %65 : tensor<20xf32> -> tensor<20xf32>
    %extracted_slice_14 = tensor.extract_slice %9[1, 0] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %67 = iree_tensor_ext.compute_barrier.end %extracted_slice_14 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_15 = tensor.extract_slice %9[1, 5] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %68 = iree_tensor_ext.compute_barrier.end %extracted_slice_15 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_16 = tensor.extract_slice %9[1, 10] [1, 5] [1, 1] : tensor<2x15xf32> to tensor<5xf32>
    %69 = iree_tensor_ext.compute_barrier.end %extracted_slice_16 : tensor<5xf32> -> tensor<5xf32>
    %extracted_slice_17 = tensor.extract_slice %19[1, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<20x5xf32>
    %extracted_slice_18 = tensor.extract_slice %13[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %70 = iree_tensor_ext.compute_barrier.end %extracted_slice_18 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_19 = tensor.extract_slice %11[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %71 = iree_tensor_ext.compute_barrier.end %extracted_slice_19 : tensor<2x5xf32> -> tensor<2x5xf32>
    %72 = flow.tensor.clone %expanded_11 : tensor<4x2x20xf32>
    %73 = flow.tensor.clone %67 : tensor<5xf32>
    %74 = flow.tensor.clone %68 : tensor<5xf32>
    %75 = flow.tensor.clone %69 : tensor<5xf32>
    %76 = flow.tensor.clone %66 : tensor<20xf32>
    %77 = flow.tensor.clone %70 : tensor<2x5xf32>
    %78 = flow.tensor.clone %71 : tensor<2x5xf32>
    %79 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_17 : tensor<20x5xf32>) outs(%56 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %80 = iree_tensor_ext.compute_barrier.end %79 : tensor<5x20xf32> -> tensor<5x20xf32>
    %81 = flow.tensor.clone %80 : tensor<5x20xf32>
    %82 = flow.tensor.clone %77 : tensor<2x5xf32>
    %83 = flow.tensor.clone %78 : tensor<2x5xf32>
    %84:3 = flow.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%31, %72, %73, %74, %75, %52, %76, %81, %82, %83) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_20 = tensor.extract_slice %84#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_21 = tensor.extract_slice %84#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %85 = tensor.empty() : tensor<4x2x2x5xf32>
    %inserted_slice = tensor.insert_slice %62#0 into %85[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x5xf32> into tensor<4x2x2x5xf32>
    %inserted_slice_22 = tensor.insert_slice %84#0 into %inserted_slice[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x5xf32> into tensor<4x2x2x5xf32>
    %86 = iree_tensor_ext.compute_barrier.end %inserted_slice_22 : tensor<4x2x2x5xf32> -> tensor<4x2x2x5xf32>
    %87 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_23 = tensor.insert_slice %extracted_slice_8 into %87[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_24 = tensor.insert_slice %extracted_slice_20 into %inserted_slice_23[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %88 = iree_tensor_ext.compute_barrier.end %inserted_slice_24 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %inserted_slice_25 = tensor.insert_slice %extracted_slice_9 into %87[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_26 = tensor.insert_slice %extracted_slice_21 into %inserted_slice_25[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %89 = iree_tensor_ext.compute_barrier.end %inserted_slice_26 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %90 = hal.tensor.export %86 "output0" : tensor<4x2x2x5xf32> -> !hal.buffer_view
    %91 = hal.tensor.export %88 "output1" : tensor<2x2x5xf32> -> !hal.buffer_view
    %92 = hal.tensor.export %89 "output2" : tensor<2x2x5xf32> -> !hal.buffer_view
    util.return %90, %91, %92 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
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
  util.func public @onnx_gru_grad(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg2: !hal.buffer_view, %arg3: !hal.buffer_view, %arg4: !hal.buffer_view, %arg5: !hal.buffer_view, %arg6: !hal.buffer_view, %arg7: !hal.buffer_view, %arg8: !hal.buffer_view, %arg9: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view) attributes {iree.abi.stub, iree.reflection = {iree.abi.declaration = "sync func @onnx_gru_grad(%input0: tensor<4x2x3xf32>, %input1: tensor<2x15x3xf32>, %input2: tensor<2x15x5xf32>, %input3: tensor<2x30xf32>, %input4: tensor<2xi32>, %input5: tensor<2x2x5xf32>, %input6: tensor<4x2x2x5xf32>, %input7: tensor<4x2x2x5xf32>, %input8: tensor<2x2x5xf32>, %input9: tensor<2x4x2x15xf32>) -> (%output0: tensor<4x2x3xf32>, %output1: tensor<2x15x3xf32>, %output2: tensor<2x15x5xf32>, %output3: tensor<2x30xf32>, %output4: tensor<2x2x5xf32>)", rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,15,3], R: float32[2,15,5], B: float32[2,30], sequence_lens: int32[2], initial_h: float32[2,2,5], Y: float32[4,2,2,5], Y_grad: float32[4,2,2,5], Y_h_grad: float32[2,2,5], reserve_space: float32[2,4,2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22\22, \22activation_alpha\22: \22\22, \22activation_beta\22: \22\22, \22clip\22: 0.0, \22hidden_size\22: 0, \22layout\22: 0, \22linear_before_reset\22: 0, \22inputs\22: \22B sequence_lens initial_h\22}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.GRUGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "X_grad: float32[4,2,3], W_grad: float32[2,15,3], R_grad: float32[2,15,5], B_grad: float32[2,30], initial_h_grad: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %c0_i32 = arith.constant 0 : i32
    %c4_i32 = arith.constant 4 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c1_i64 = arith.constant 1 : i64
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
    %10 = iree_tensor_ext.compute_barrier.start %9 : tensor<2x4x2x15xf32> -> tensor<2x4x2x15xf32>
    %11 = util.optimization_barrier %7 : tensor<2x2x5xf32>
    %12 = iree_tensor_ext.compute_barrier.start %11 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %13 = util.optimization_barrier %6 : tensor<4x2x2x5xf32>
    %14 = iree_tensor_ext.compute_barrier.start %13 : tensor<4x2x2x5xf32> -> tensor<4x2x2x5xf32>
    %15 = util.optimization_barrier %5 : tensor<4x2x2x5xf32>
    %16 = iree_tensor_ext.compute_barrier.start %15 : tensor<4x2x2x5xf32> -> tensor<4x2x2x5xf32>
    %17 = util.optimization_barrier %4 : tensor<2x2x5xf32>
    %18 = iree_tensor_ext.compute_barrier.start %17 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %19 = util.optimization_barrier %3 : tensor<2xi32>
    %20 = iree_tensor_ext.compute_barrier.start %19 : tensor<2xi32> -> tensor<2xi32>
    %21 = util.optimization_barrier %2 : tensor<2x15x5xf32>
    %22 = iree_tensor_ext.compute_barrier.start %21 : tensor<2x15x5xf32> -> tensor<2x15x5xf32>
    %23 = util.optimization_barrier %1 : tensor<2x15x3xf32>
    %24 = iree_tensor_ext.compute_barrier.start %23 : tensor<2x15x3xf32> -> tensor<2x15x3xf32>
    %25 = util.optimization_barrier %0 : tensor<4x2x3xf32>
    %26 = iree_tensor_ext.compute_barrier.start %25 : tensor<4x2x3xf32> -> tensor<4x2x3xf32>
    %27 = tensor.empty() : tensor<i32>
    %28 = linalg.fill ins(%c0_i32 : i32) outs(%27 : tensor<i32>) -> tensor<i32>
    %29 = linalg.generic {indexing_maps = [#map14, #map15], iterator_types = ["reduction"]} ins(%20 : tensor<2xi32>) outs(%28 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %127 = arith.maxsi %out, %in : i32
      linalg.yield %127 : i32
    } -> tensor<i32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%29 : tensor<i32>) outs(%27 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %127 = arith.maxsi %in, %c0_i32 : i32
      %128 = arith.minui %127, %c4_i32 : i32
      linalg.yield %128 : i32
    } -> tensor<i32>
    %31 = tensor.empty() : tensor<2xi32>
    %32 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%20 : tensor<2xi32>) outs(%31 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      %127 = arith.maxsi %in, %c0_i32 : i32
      %128 = arith.minui %127, %c4_i32 : i32
      linalg.yield %128 : i32
    } -> tensor<2xi32>
    %33 = tensor.empty() : tensor<i64>
    %34 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%30 : tensor<i32>) outs(%33 : tensor<i64>) {
    ^bb0(%in: i32, %out: i64):
      %127 = arith.extsi %in : i32 to i64
      linalg.yield %127 : i64
    } -> tensor<i64>
    %35 = iree_tensor_ext.compute_barrier.end %34 : tensor<i64> -> tensor<i64>
    %36 = tensor.empty() : tensor<2xi64>
    %37 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%32 : tensor<2xi32>) outs(%36 : tensor<2xi64>) {
    ^bb0(%in: i32, %out: i64):
      %127 = arith.extsi %in : i32 to i64
      linalg.yield %127 : i64
    } -> tensor<2xi64>
    %38 = tensor.empty() : tensor<4x2xi64>
    %39 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%38 : tensor<4x2xi64>) {
    ^bb0(%out: i64):
      %127 = linalg.index 0 : index
      %128 = arith.index_cast %127 : index to i64
      linalg.yield %128 : i64
    } -> tensor<4x2xi64>
    %40 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<2xi64>) outs(%38 : tensor<4x2xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x2xi64>
    %41 = tensor.empty() : tensor<4x2xi1>
    %42 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%39, %40 : tensor<4x2xi64>, tensor<4x2xi64>) outs(%41 : tensor<4x2xi1>) {
    ^bb0(%in: i64, %in_67: i64, %out: i1):
      %127 = arith.cmpi slt, %in, %in_67 : i64
      linalg.yield %127 : i1
    } -> tensor<4x2xi1>
    %43 = tensor.empty() : tensor<4x2x3xi1>
    %44 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<4x2xi1>) outs(%43 : tensor<4x2x3xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x3xi1>
    %45 = tensor.empty() : tensor<4x2x3xf32>
    %46 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %26 : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%45 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_67: f32, %out: f32):
      %127 = arith.select %in, %in_67, %cst_0 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x3xf32>
    %extracted_slice = tensor.extract_slice %16[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x2x5xf32>
    %47 = tensor.empty() : tensor<4x2x5xi1>
    %48 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<4x2xi1>) outs(%47 : tensor<4x2x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x5xi1>
    %49 = tensor.empty() : tensor<4x2x5xf32>
    %50 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %extracted_slice : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%49 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_67: f32, %out: f32):
      %127 = arith.select %in, %in_67, %cst_0 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_1 = tensor.extract_slice %14[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x2x5xf32>
    %51 = iree_tensor_ext.compute_barrier.end %extracted_slice_1 : tensor<4x2x5xf32> -> tensor<4x2x5xf32>
    %extracted_slice_2 = tensor.extract_slice %10[0, 0, 0, 0] [1, 4, 2, 15] [1, 1, 1, 1] : tensor<2x4x2x15xf32> to tensor<4x2x15xf32>
    %extracted_slice_3 = tensor.extract_slice %18[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %52 = iree_tensor_ext.compute_barrier.end %extracted_slice_3 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_4 = tensor.extract_slice %12[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %53 = iree_tensor_ext.compute_barrier.end %extracted_slice_4 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_5 = tensor.extract_slice %16[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x2x5xf32>
    %54 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %extracted_slice_5 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%49 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_67: f32, %out: f32):
      %127 = arith.select %in, %in_67, %cst_0 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_6 = tensor.extract_slice %14[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x2x5xf32>
    %55 = iree_tensor_ext.compute_barrier.end %extracted_slice_6 : tensor<4x2x5xf32> -> tensor<4x2x5xf32>
    %extracted_slice_7 = tensor.extract_slice %10[1, 0, 0, 0] [1, 4, 2, 15] [1, 1, 1, 1] : tensor<2x4x2x15xf32> to tensor<4x2x15xf32>
    %extracted_slice_8 = tensor.extract_slice %18[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %56 = iree_tensor_ext.compute_barrier.end %extracted_slice_8 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_9 = tensor.extract_slice %12[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %57 = iree_tensor_ext.compute_barrier.end %extracted_slice_9 : tensor<2x5xf32> -> tensor<2x5xf32>
    %extracted_slice_10 = tensor.extract_slice %22[0, 0, 0] [1, 10, 5] [1, 1, 1] : tensor<2x15x5xf32> to tensor<10x5xf32>
    %58 = iree_tensor_ext.compute_barrier.end %extracted_slice_10 : tensor<10x5xf32> -> tensor<10x5xf32>
    %extracted_slice_11 = tensor.extract_slice %22[0, 10, 0] [1, 5, 5] [1, 1, 1] : tensor<2x15x5xf32> to tensor<5x5xf32>
    %59 = iree_tensor_ext.compute_barrier.end %extracted_slice_11 : tensor<5x5xf32> -> tensor<5x5xf32>
    %60 = flow.tensor.clone %51 : tensor<4x2x5xf32>
    %61 = flow.tensor.clone %50 : tensor<4x2x5xf32>
    %62 = flow.tensor.clone %extracted_slice_2 : tensor<4x2x15xf32>
    %63 = flow.tensor.clone %37 : tensor<2xi64>
    %64 = flow.tensor.clone %52 : tensor<2x5xf32>
    %65 = flow.tensor.clone %53 : tensor<2x5xf32>
    %66 = flow.tensor.clone %59 : tensor<5x5xf32>
    %67 = flow.tensor.clone %58 : tensor<10x5xf32>
    %68 = flow.tensor.clone %65 : tensor<2x5xf32>
    %69:5 = flow.dispatch @onnx_gru_grad_gru_reset_before_backward_loop::@onnx_gru_grad_gru_reset_before_backward_loop(%35, %60, %61, %62, %63, %64, %66, %67, %68, %cst) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x15xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<10x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_12 = tensor.extract_slice %69#3[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_13 = tensor.extract_slice %69#4[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_14 = tensor.extract_slice %22[1, 0, 0] [1, 10, 5] [1, 1, 1] : tensor<2x15x5xf32> to tensor<10x5xf32>
    %70 = iree_tensor_ext.compute_barrier.end %extracted_slice_14 : tensor<10x5xf32> -> tensor<10x5xf32>
    %extracted_slice_15 = tensor.extract_slice %22[1, 10, 0] [1, 5, 5] [1, 1, 1] : tensor<2x15x5xf32> to tensor<5x5xf32>
    %71 = iree_tensor_ext.compute_barrier.end %extracted_slice_15 : tensor<5x5xf32> -> tensor<5x5xf32>
    %72 = flow.tensor.clone %55 : tensor<4x2x5xf32>
    %73 = flow.tensor.clone %54 : tensor<4x2x5xf32>
    %74 = flow.tensor.clone %extracted_slice_7 : tensor<4x2x15xf32>
    %75 = flow.tensor.clone %56 : tensor<2x5xf32>
    %76 = flow.tensor.clone %57 : tensor<2x5xf32>
    %77 = flow.tensor.clone %71 : tensor<5x5xf32>
    %78 = flow.tensor.clone %70 : tensor<10x5xf32>
    %79 = flow.tensor.clone %76 : tensor<2x5xf32>
    %80:5 = flow.dispatch @onnx_gru_grad_gru_reset_before_backward_1_loop::@onnx_gru_grad_gru_reset_before_backward_1_loop(%35, %72, %73, %74, %63, %75, %77, %78, %79, %cst) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x15xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<10x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_16 = tensor.extract_slice %80#3[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_17 = tensor.extract_slice %80#4[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_18 = tensor.extract_slice %24[0, 0, 0] [1, 15, 3] [1, 1, 1] : tensor<2x15x3xf32> to tensor<15x3xf32>
    %collapsed = tensor.collapse_shape %69#0 [[0, 1], [2]] : tensor<4x2x15xf32> into tensor<8x15xf32>
    %81 = tensor.empty() : tensor<8x3xf32>
    %82 = linalg.fill ins(%cst_0 : f32) outs(%81 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %83 = linalg.matmul ins(%collapsed, %extracted_slice_18 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%82 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %collapsed_19 = tensor.collapse_shape %83 [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
    %extracted_slice_20 = tensor.extract_slice %50[0, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<3x2x5xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice_3 into %49[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
    %inserted_slice_21 = tensor.insert_slice %extracted_slice_20 into %inserted_slice[1, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<3x2x5xf32> into tensor<4x2x5xf32>
    %extracted_slice_22 = tensor.extract_slice %10[0, 0, 0, 5] [1, 4, 2, 5] [1, 1, 1, 1] : tensor<2x4x2x15xf32> to tensor<4x2x5xf32>
    %84 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_22, %inserted_slice_21 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%49 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %127 = arith.mulf %in, %in_67 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_23 = tensor.extract_slice %69#0[0, 0, 0] [4, 2, 10] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x10xf32>
    %extracted_slice_24 = tensor.extract_slice %69#0[0, 0, 10] [4, 2, 5] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x5xf32>
    %collapsed_25 = tensor.collapse_shape %46 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %85 = tensor.empty() : tensor<15x3xf32>
    %86 = linalg.fill ins(%cst_0 : f32) outs(%85 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %87 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed, %collapsed_25 : tensor<8x15xf32>, tensor<8x3xf32>) outs(%86 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %collapsed_26 = tensor.collapse_shape %extracted_slice_23 [[0, 1], [2]] : tensor<4x2x10xf32> into tensor<8x10xf32>
    %collapsed_27 = tensor.collapse_shape %inserted_slice_21 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %88 = tensor.empty() : tensor<10x5xf32>
    %89 = linalg.fill ins(%cst_0 : f32) outs(%88 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %90 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed_26, %collapsed_27 : tensor<8x10xf32>, tensor<8x5xf32>) outs(%89 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %collapsed_28 = tensor.collapse_shape %extracted_slice_24 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %collapsed_29 = tensor.collapse_shape %84 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %91 = tensor.empty() : tensor<5x5xf32>
    %92 = linalg.fill ins(%cst_0 : f32) outs(%91 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %93 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed_28, %collapsed_29 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%92 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %94 = tensor.empty() : tensor<15xf32>
    %95 = linalg.fill ins(%cst_0 : f32) outs(%94 : tensor<15xf32>) -> tensor<15xf32>
    %96 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%collapsed : tensor<8x15xf32>) outs(%95 : tensor<15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %127 = arith.addf %out, %in : f32
      linalg.yield %127 : f32
    } -> tensor<15xf32>
    %extracted_slice_30 = tensor.extract_slice %24[1, 0, 0] [1, 15, 3] [1, 1, 1] : tensor<2x15x3xf32> to tensor<15x3xf32>
    %collapsed_31 = tensor.collapse_shape %80#0 [[0, 1], [2]] : tensor<4x2x15xf32> into tensor<8x15xf32>
    %97 = linalg.matmul ins(%collapsed_31, %extracted_slice_30 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%82 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %collapsed_32 = tensor.collapse_shape %97 [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
    %extracted_slice_33 = tensor.extract_slice %54[1, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<3x2x5xf32>
    %inserted_slice_34 = tensor.insert_slice %extracted_slice_33 into %49[0, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<3x2x5xf32> into tensor<4x2x5xf32>
    %inserted_slice_35 = tensor.insert_slice %extracted_slice_8 into %inserted_slice_34[3, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<4x2x5xf32>
    %98 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel"]} ins(%37 : tensor<2xi64>) outs(%36 : tensor<2xi64>) {
    ^bb0(%in: i64, %out: i64):
      %127 = arith.subi %in, %c1_i64 : i64
      linalg.yield %127 : i64
    } -> tensor<2xi64>
    %99 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%98 : tensor<2xi64>) outs(%38 : tensor<4x2xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x2xi64>
    %100 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%39, %99 : tensor<4x2xi64>, tensor<4x2xi64>) outs(%41 : tensor<4x2xi1>) {
    ^bb0(%in: i64, %in_67: i64, %out: i1):
      %127 = arith.cmpi eq, %in, %in_67 : i64
      linalg.yield %127 : i1
    } -> tensor<4x2xi1>
    %101 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<4x2xi1>) outs(%47 : tensor<4x2x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x5xi1>
    %102 = linalg.generic {indexing_maps = [#map7, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_8 : tensor<2x5xf32>) outs(%49 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x2x5xf32>
    %103 = linalg.generic {indexing_maps = [#map9, #map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %102, %inserted_slice_35 : tensor<4x2x5xi1>, tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%49 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_67: f32, %in_68: f32, %out: f32):
      %127 = arith.select %in, %in_67, %in_68 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_36 = tensor.extract_slice %10[1, 0, 0, 5] [1, 4, 2, 5] [1, 1, 1, 1] : tensor<2x4x2x15xf32> to tensor<4x2x5xf32>
    %104 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_36, %103 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%49 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %127 = arith.mulf %in, %in_67 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_37 = tensor.extract_slice %80#0[0, 0, 0] [4, 2, 10] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x10xf32>
    %extracted_slice_38 = tensor.extract_slice %80#0[0, 0, 10] [4, 2, 5] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x5xf32>
    %105 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed_31, %collapsed_25 : tensor<8x15xf32>, tensor<8x3xf32>) outs(%86 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %collapsed_39 = tensor.collapse_shape %extracted_slice_37 [[0, 1], [2]] : tensor<4x2x10xf32> into tensor<8x10xf32>
    %collapsed_40 = tensor.collapse_shape %103 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %106 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed_39, %collapsed_40 : tensor<8x10xf32>, tensor<8x5xf32>) outs(%89 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %collapsed_41 = tensor.collapse_shape %extracted_slice_38 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %collapsed_42 = tensor.collapse_shape %104 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %107 = linalg.matmul indexing_maps = [#map10, #map11, #map8] ins(%collapsed_41, %collapsed_42 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%92 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %108 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%collapsed_31 : tensor<8x15xf32>) outs(%95 : tensor<15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %127 = arith.addf %out, %in : f32
      linalg.yield %127 : f32
    } -> tensor<15xf32>
    %collapsed_43 = tensor.collapse_shape %87 [[0, 1]] : tensor<15x3xf32> into tensor<45xf32>
    %109 = flow.tensor.empty : tensor<300xf32>
    %inserted_slice_44 = tensor.insert_slice %collapsed_43 into %109[0] [45] [1] : tensor<45xf32> into tensor<300xf32>
    %collapsed_45 = tensor.collapse_shape %90 [[0, 1]] : tensor<10x5xf32> into tensor<50xf32>
    %inserted_slice_46 = tensor.insert_slice %collapsed_45 into %inserted_slice_44[90] [50] [1] : tensor<50xf32> into tensor<300xf32>
    %collapsed_47 = tensor.collapse_shape %93 [[0, 1]] : tensor<5x5xf32> into tensor<25xf32>
    %inserted_slice_48 = tensor.insert_slice %collapsed_47 into %inserted_slice_46[140] [25] [1] : tensor<25xf32> into tensor<300xf32>
    %inserted_slice_49 = tensor.insert_slice %96 into %inserted_slice_48[240] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %inserted_slice_50 = tensor.insert_slice %96 into %inserted_slice_49[255] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %collapsed_51 = tensor.collapse_shape %105 [[0, 1]] : tensor<15x3xf32> into tensor<45xf32>
    %inserted_slice_52 = tensor.insert_slice %collapsed_51 into %inserted_slice_50[45] [45] [1] : tensor<45xf32> into tensor<300xf32>
    %collapsed_53 = tensor.collapse_shape %106 [[0, 1]] : tensor<10x5xf32> into tensor<50xf32>
    %inserted_slice_54 = tensor.insert_slice %collapsed_53 into %inserted_slice_52[165] [50] [1] : tensor<50xf32> into tensor<300xf32>
    %collapsed_55 = tensor.collapse_shape %107 [[0, 1]] : tensor<5x5xf32> into tensor<25xf32>
    %inserted_slice_56 = tensor.insert_slice %collapsed_55 into %inserted_slice_54[215] [25] [1] : tensor<25xf32> into tensor<300xf32>
    %inserted_slice_57 = tensor.insert_slice %108 into %inserted_slice_56[270] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %inserted_slice_58 = tensor.insert_slice %108 into %inserted_slice_57[285] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %extracted_slice_59 = tensor.extract_slice %inserted_slice_58[0] [90] [1] : tensor<300xf32> to tensor<90xf32>
    %110 = iree_tensor_ext.compute_barrier.end %extracted_slice_59 : tensor<90xf32> -> tensor<90xf32>
    %expanded = tensor.expand_shape %110 [[0, 1, 2]] output_shape [2, 15, 3] : tensor<90xf32> into tensor<2x15x3xf32>
    %extracted_slice_60 = tensor.extract_slice %inserted_slice_58[90] [150] [1] : tensor<300xf32> to tensor<150xf32>
    %111 = iree_tensor_ext.compute_barrier.end %extracted_slice_60 : tensor<150xf32> -> tensor<150xf32>
    %expanded_61 = tensor.expand_shape %111 [[0, 1, 2]] output_shape [2, 15, 5] : tensor<150xf32> into tensor<2x15x5xf32>
    %extracted_slice_62 = tensor.extract_slice %inserted_slice_58[240] [60] [1] : tensor<300xf32> to tensor<60xf32>
    %112 = iree_tensor_ext.compute_barrier.end %extracted_slice_62 : tensor<60xf32> -> tensor<60xf32>
    %expanded_63 = tensor.expand_shape %112 [[0, 1]] output_shape [2, 30] : tensor<60xf32> into tensor<2x30xf32>
    %113 = tensor.empty() : tensor<24xf32>
    %114 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel"]} ins(%collapsed_19, %collapsed_32 : tensor<24xf32>, tensor<24xf32>) outs(%113 : tensor<24xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %127 = arith.addf %in, %in_67 : f32
      linalg.yield %127 : f32
    } -> tensor<24xf32>
    %expanded_64 = tensor.expand_shape %114 [[0, 1, 2]] output_shape [4, 2, 3] : tensor<24xf32> into tensor<4x2x3xf32>
    %115 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %expanded_64 : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%45 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_67: f32, %out: f32):
      %127 = arith.select %in, %in_67, %cst_0 : f32
      linalg.yield %127 : f32
    } -> tensor<4x2x3xf32>
    %116 = iree_tensor_ext.compute_barrier.end %115 : tensor<4x2x3xf32> -> tensor<4x2x3xf32>
    %117 = tensor.empty() : tensor<2x5xf32>
    %118 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_12, %extracted_slice_13 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%117 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %127 = arith.addf %in, %in_67 : f32
      linalg.yield %127 : f32
    } -> tensor<2x5xf32>
    %119 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_16, %extracted_slice_17 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%117 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_67: f32, %out: f32):
      %127 = arith.addf %in, %in_67 : f32
      linalg.yield %127 : f32
    } -> tensor<2x5xf32>
    %120 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_65 = tensor.insert_slice %118 into %120[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_66 = tensor.insert_slice %119 into %inserted_slice_65[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x5xf32> into tensor<2x2x5xf32>
    %121 = iree_tensor_ext.compute_barrier.end %inserted_slice_66 : tensor<2x2x5xf32> -> tensor<2x2x5xf32>
    %122 = hal.tensor.export %116 "output0" : tensor<4x2x3xf32> -> !hal.buffer_view
    %123 = hal.tensor.export %expanded "output1" : tensor<2x15x3xf32> -> !hal.buffer_view
    %124 = hal.tensor.export %expanded_61 "output2" : tensor<2x15x5xf32> -> !hal.buffer_view
    %125 = hal.tensor.export %expanded_63 "output3" : tensor<2x30xf32> -> !hal.buffer_view
    %126 = hal.tensor.export %121 "output4" : tensor<2x2x5xf32> -> !hal.buffer_view
    util.return %122, %123, %124, %125, %126 : !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view, !hal.buffer_view
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
