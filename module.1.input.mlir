#config = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [2, 5], vector_reduction = [0, 0]>
#config1 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 4]>
#config2 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 20], vector_reduction = [0, 0]>
#config3 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [2, 20], vector_reduction = [0, 0]>
#config4 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 20, 0], vector_reduction = [0, 0, 1]>
#config5 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 5], vector_reduction = [0, 0]>
#config6 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 1]>
#config7 = #iree_cpu.lowering_config<distribution = [0, 0, 0], vector_common_parallel = [2, 5, 0], vector_reduction = [0, 0, 2]>
#config8 = #iree_cpu.lowering_config<distribution = [0, 0], vector_common_parallel = [1, 15], vector_reduction = [0, 0]>
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<() -> ()>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#map9 = affine_map<(d0, d1, d2) -> (d0)>
#map10 = affine_map<(d0) -> (d0)>
#map11 = affine_map<(d0) -> ()>
#map12 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#translation = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>
module {
  util.func public @lstm_block_cell_grad(%arg0: tensor<2x3xf32>, %arg1: tensor<2x5xf32>, %arg2: tensor<2x5xf32>, %arg3: tensor<8x20xf32>, %arg4: tensor<5xf32>, %arg5: tensor<5xf32>, %arg6: tensor<5xf32>, %arg7: tensor<20xf32>, %arg8: tensor<2x5xf32>, %arg9: tensor<2x5xf32>, %arg10: tensor<2x5xf32>, %arg11: tensor<2x5xf32>, %arg12: tensor<2x5xf32>, %arg13: tensor<2x5xf32>, %arg14: tensor<2x5xf32>, %arg15: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) attributes {iree.reflection = {rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[2,5], cs: float32[2,5], f: float32[2,5], o: float32[2,5], ci: float32[2,5], co: float32[2,5], cs_grad: float32[2,5], h_grad: float32[2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "LSTMBlockCellGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "cs_prev_grad: float32[2,5], dicfo: float32[2,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = util.optimization_barrier %arg15 : tensor<2x5xf32>
    %1 = util.optimization_barrier %arg14 : tensor<2x5xf32>
    %2 = util.optimization_barrier %arg13 : tensor<2x5xf32>
    %3 = util.optimization_barrier %arg12 : tensor<2x5xf32>
    %4 = util.optimization_barrier %arg11 : tensor<2x5xf32>
    %5 = util.optimization_barrier %arg10 : tensor<2x5xf32>
    %6 = util.optimization_barrier %arg9 : tensor<2x5xf32>
    %7 = util.optimization_barrier %arg8 : tensor<2x5xf32>
    %8 = util.optimization_barrier %arg6 : tensor<5xf32>
    %9 = util.optimization_barrier %arg5 : tensor<5xf32>
    %10 = util.optimization_barrier %arg4 : tensor<5xf32>
    %11 = util.optimization_barrier %arg1 : tensor<2x5xf32>
    %12 = tensor.empty() : tensor<2x5xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<2x5xf32>) outs(%12 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.subf %cst_0, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %14 = tensor.empty() : tensor<2x5xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %13 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%14 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %16 = tensor.empty() : tensor<2x5xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%15, %0 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%16 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %18 = tensor.empty() : tensor<2x5xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %2 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%18 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %20 = tensor.empty() : tensor<2x5xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<2x5xf32>) outs(%20 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.mulf %in, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %22 = tensor.empty() : tensor<2x5xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<2x5xf32>) outs(%22 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.subf %cst_0, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %24 = tensor.empty() : tensor<2x5xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%23, %0 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%24 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %26 = tensor.empty() : tensor<2x5xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%25, %4 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%26 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %28 = tensor.empty() : tensor<2x5xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%27, %1 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%28 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.addf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %30 = tensor.empty() : tensor<2x5xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<5xf32>) outs(%30 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5xf32>
    %32 = tensor.empty() : tensor<2x5xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %31 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%32 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %34 = tensor.empty() : tensor<2x5xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%29, %33 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%34 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.addf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %36 = tensor.empty() : tensor<2x5xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<2x5xf32>) outs(%36 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.mulf %in, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %38 = tensor.empty() : tensor<2x5xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<2x5xf32>) outs(%38 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.subf %cst_0, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %40 = tensor.empty() : tensor<2x5xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%39, %35 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%40 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %42 = tensor.empty() : tensor<2x5xf32>
    %43 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%41, %7 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%42 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %44 = tensor.empty() : tensor<2x5xf32>
    %45 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<2x5xf32>) outs(%44 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.subf %cst_0, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %46 = tensor.empty() : tensor<2x5xf32>
    %47 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %45 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%46 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %48 = tensor.empty() : tensor<2x5xf32>
    %49 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%47, %35 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%48 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %50 = tensor.empty() : tensor<2x5xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%49, %11 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%50 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %52 = tensor.empty() : tensor<2x5xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<2x5xf32>) outs(%52 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.subf %cst_0, %in : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %54 = tensor.empty() : tensor<2x5xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %53 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%54 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %56 = tensor.empty() : tensor<2x5xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%55, %35 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%56 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %58 = tensor.empty() : tensor<2x5xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%57, %3 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%58 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %60 = tensor.empty() : tensor<2x5xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%35, %5 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%60 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %62 = tensor.empty() : tensor<2x5xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5xf32>) outs(%62 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5xf32>
    %64 = tensor.empty() : tensor<2x5xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%59, %63 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%64 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %66 = tensor.empty() : tensor<2x5xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<5xf32>) outs(%66 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5xf32>
    %68 = tensor.empty() : tensor<2x5xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%51, %67 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%68 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %70 = tensor.empty() : tensor<2x5xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%65, %69 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%70 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.addf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %72 = tensor.empty() : tensor<2x5xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%61, %71 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%72 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.addf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %74 = tensor.empty() : tensor<2x20xf32>
    %inserted_slice = tensor.insert_slice %59 into %74[0, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %inserted_slice_1 = tensor.insert_slice %43 into %inserted_slice[0, 5] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %inserted_slice_2 = tensor.insert_slice %51 into %inserted_slice_1[0, 10] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %inserted_slice_3 = tensor.insert_slice %19 into %inserted_slice_2[0, 15] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x20xf32>
    %75 = tensor.empty() : tensor<2x5xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%59, %11 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%75 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %77 = tensor.empty() : tensor<5xf32>
    %78 = linalg.fill ins(%cst : f32) outs(%77 : tensor<5xf32>) -> tensor<5xf32>
    %79 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%76 : tensor<2x5xf32>) outs(%78 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.addf %out, %in : f32
      linalg.yield %90 : f32
    } -> tensor<5xf32>
    %80 = tensor.empty() : tensor<2x5xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%51, %11 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%80 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %82 = tensor.empty() : tensor<5xf32>
    %83 = linalg.fill ins(%cst : f32) outs(%82 : tensor<5xf32>) -> tensor<5xf32>
    %84 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%81 : tensor<2x5xf32>) outs(%83 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.addf %out, %in : f32
      linalg.yield %90 : f32
    } -> tensor<5xf32>
    %85 = tensor.empty() : tensor<2x5xf32>
    %86 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %6 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%85 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %90 = arith.mulf %in, %in_4 : f32
      linalg.yield %90 : f32
    } -> tensor<2x5xf32>
    %87 = tensor.empty() : tensor<5xf32>
    %88 = linalg.fill ins(%cst : f32) outs(%87 : tensor<5xf32>) -> tensor<5xf32>
    %89 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%86 : tensor<2x5xf32>) outs(%88 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %90 = arith.addf %out, %in : f32
      linalg.yield %90 : f32
    } -> tensor<5xf32>
    util.return %73, %inserted_slice_3, %79, %84, %89 : tensor<2x5xf32>, tensor<2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  util.func public @block_lstm_grad_v2(%arg0: tensor<i64>, %arg1: tensor<4x2x3xf32>, %arg2: tensor<2x5xf32>, %arg3: tensor<2x5xf32>, %arg4: tensor<8x20xf32>, %arg5: tensor<5xf32>, %arg6: tensor<5xf32>, %arg7: tensor<5xf32>, %arg8: tensor<20xf32>, %arg9: tensor<4x2x5xf32>, %arg10: tensor<4x2x5xf32>, %arg11: tensor<4x2x5xf32>, %arg12: tensor<4x2x5xf32>, %arg13: tensor<4x2x5xf32>, %arg14: tensor<4x2x5xf32>, %arg15: tensor<4x2x5xf32>, %arg16: tensor<4x2x5xf32>, %arg17: tensor<4x2x5xf32>) -> (tensor<4x2x3xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>) attributes {iree.reflection = {rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "seq_len_max: int64[], x: float32[4,2,3], cs_prev: float32[2,5], h_prev: float32[2,5], w: float32[8,20], wci: float32[5], wcf: float32[5], wco: float32[5], b: float32[20], i: float32[4,2,5], cs: float32[4,2,5], f: float32[4,2,5], o: float32[4,2,5], ci: float32[4,2,5], co: float32[4,2,5], h: float32[4,2,5], cs_grad: float32[4,2,5], h_grad: float32[4,2,5]", rnn_compiler.attributes = "{\22use_peephole\22: true}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "BlockLSTMGradV2", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "x_grad: float32[4,2,3], cs_prev_grad: float32[2,5], h_prev_grad: float32[2,5], w_grad: float32[8,20], wci_grad: float32[5], wcf_grad: float32[5], wco_grad: float32[5], b_grad: float32[20]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant 0.000000e+00 : f32
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %0 = util.optimization_barrier %arg17 : tensor<4x2x5xf32>
    %1 = util.optimization_barrier %arg16 : tensor<4x2x5xf32>
    %2 = util.optimization_barrier %arg15 : tensor<4x2x5xf32>
    %3 = util.optimization_barrier %arg14 : tensor<4x2x5xf32>
    %4 = util.optimization_barrier %arg13 : tensor<4x2x5xf32>
    %5 = util.optimization_barrier %arg12 : tensor<4x2x5xf32>
    %6 = util.optimization_barrier %arg11 : tensor<4x2x5xf32>
    %7 = util.optimization_barrier %arg10 : tensor<4x2x5xf32>
    %8 = util.optimization_barrier %arg9 : tensor<4x2x5xf32>
    %9 = util.optimization_barrier %arg7 : tensor<5xf32>
    %10 = util.optimization_barrier %arg6 : tensor<5xf32>
    %11 = util.optimization_barrier %arg5 : tensor<5xf32>
    %12 = util.optimization_barrier %arg4 : tensor<8x20xf32>
    %13 = util.optimization_barrier %arg3 : tensor<2x5xf32>
    %14 = util.optimization_barrier %arg2 : tensor<2x5xf32>
    %15 = util.optimization_barrier %arg1 : tensor<4x2x3xf32>
    %16 = util.optimization_barrier %arg0 : tensor<i64>
    %17 = tensor.empty() : tensor<i64>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%16 : tensor<i64>) outs(%17 : tensor<i64>) {
    ^bb0(%in: i64, %out: i64):
      %86 = arith.maxsi %in, %c0_i64 : i64
      %87 = arith.minsi %86, %c4_i64 : i64
      linalg.yield %87 : i64
    } -> tensor<i64>
    %extracted_slice = tensor.extract_slice %12[3, 0] [5, 20] [1, 1] : tensor<8x20xf32> to tensor<5x20xf32>
    %19 = flow.tensor.clone %8 : tensor<4x2x5xf32>
    %20 = flow.tensor.clone %6 : tensor<4x2x5xf32>
    %21 = flow.tensor.clone %5 : tensor<4x2x5xf32>
    %22 = flow.tensor.clone %4 : tensor<4x2x5xf32>
    %23 = flow.tensor.clone %3 : tensor<4x2x5xf32>
    %24 = flow.tensor.clone %7 : tensor<4x2x5xf32>
    %25 = flow.tensor.clone %14 : tensor<2x5xf32>
    %26 = flow.tensor.clone %1 : tensor<4x2x5xf32>
    %27 = flow.tensor.clone %0 : tensor<4x2x5xf32>
    %28 = flow.tensor.clone %11 : tensor<5xf32>
    %29 = flow.tensor.clone %10 : tensor<5xf32>
    %30 = flow.tensor.clone %9 : tensor<5xf32>
    %31 = tensor.empty() : tensor<20x5xf32>
    %32 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<5x20xf32>) outs(%31 : tensor<20x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<20x5xf32>
    %33 = flow.tensor.clone %32 : tensor<20x5xf32>
    %34:3 = flow.dispatch @block_lstm_grad_v2_lstm_backward_loop::@block_lstm_grad_v2_lstm_backward_loop(%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %33, %cst_0, %cst_0) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x20xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_1 = tensor.extract_slice %34#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_2 = tensor.extract_slice %34#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %35 = tensor.empty() : tensor<4x2xi64>
    %36 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%35 : tensor<4x2xi64>) {
    ^bb0(%out: i64):
      %86 = linalg.index 0 : index
      %87 = arith.index_cast %86 : index to i64
      linalg.yield %87 : i64
    } -> tensor<4x2xi64>
    %37 = tensor.empty() : tensor<4x2xi64>
    %38 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<i64>) outs(%37 : tensor<4x2xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x2xi64>
    %39 = tensor.empty() : tensor<4x2xi1>
    %40 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%36, %38 : tensor<4x2xi64>, tensor<4x2xi64>) outs(%39 : tensor<4x2xi1>) {
    ^bb0(%in: i64, %in_17: i64, %out: i1):
      %86 = arith.cmpi slt, %in, %in_17 : i64
      linalg.yield %86 : i1
    } -> tensor<4x2xi1>
    %collapsed = tensor.collapse_shape %34#0 [[0, 1], [2]] : tensor<4x2x20xf32> into tensor<8x20xf32>
    %extracted_slice_3 = tensor.extract_slice %12[0, 0] [3, 20] [1, 1] : tensor<8x20xf32> to tensor<3x20xf32>
    %41 = tensor.empty() : tensor<20x3xf32>
    %42 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_3 : tensor<3x20xf32>) outs(%41 : tensor<20x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<20x3xf32>
    %43 = tensor.empty() : tensor<8x3xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %45 = linalg.matmul ins(%collapsed, %42 : tensor<8x20xf32>, tensor<20x3xf32>) outs(%44 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %expanded = tensor.expand_shape %45 [[0, 1], [2]] output_shape [4, 2, 3] : tensor<8x3xf32> into tensor<4x2x3xf32>
    %46 = tensor.empty() : tensor<4x2x3xi1>
    %47 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<4x2xi1>) outs(%46 : tensor<4x2x3xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x3xi1>
    %48 = tensor.empty() : tensor<4x2x3xf32>
    %49 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %expanded : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%48 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_17: f32, %out: f32):
      %86 = arith.select %in, %in_17, %cst : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x3xf32>
    %50 = tensor.empty() : tensor<4x2x3xf32>
    %51 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %15 : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%50 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_17: f32, %out: f32):
      %86 = arith.select %in, %in_17, %cst : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x3xf32>
    %expanded_4 = tensor.expand_shape %13 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %52 = tensor.empty() : tensor<5x2x5xf32>
    %inserted_slice = tensor.insert_slice %expanded_4 into %52[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<5x2x5xf32>
    %inserted_slice_5 = tensor.insert_slice %2 into %inserted_slice[1, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<5x2x5xf32>
    %extracted_slice_6 = tensor.extract_slice %inserted_slice_5[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<5x2x5xf32> to tensor<4x2x5xf32>
    %53 = tensor.empty() : tensor<4x2x5xi1>
    %54 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<4x2xi1>) outs(%53 : tensor<4x2x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x5xi1>
    %55 = tensor.empty() : tensor<4x2x5xf32>
    %56 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %extracted_slice_6 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%55 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_17: f32, %out: f32):
      %86 = arith.select %in, %in_17, %cst : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x5xf32>
    %57 = tensor.empty() : tensor<4x2x8xf32>
    %inserted_slice_7 = tensor.insert_slice %51 into %57[0, 0, 0] [4, 2, 3] [1, 1, 1] : tensor<4x2x3xf32> into tensor<4x2x8xf32>
    %inserted_slice_8 = tensor.insert_slice %56 into %inserted_slice_7[0, 0, 3] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<4x2x8xf32>
    %collapsed_9 = tensor.collapse_shape %inserted_slice_8 [[0, 1], [2]] : tensor<4x2x8xf32> into tensor<8x8xf32>
    %58 = tensor.empty() : tensor<8x8xf32>
    %59 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_9 : tensor<8x8xf32>) outs(%58 : tensor<8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x8xf32>
    %60 = tensor.empty() : tensor<8x20xf32>
    %61 = linalg.fill ins(%cst : f32) outs(%60 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %62 = linalg.matmul ins(%59, %collapsed : tensor<8x8xf32>, tensor<8x20xf32>) outs(%61 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %63 = tensor.empty() : tensor<20xf32>
    %64 = linalg.fill ins(%cst : f32) outs(%63 : tensor<20xf32>) -> tensor<20xf32>
    %65 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%collapsed : tensor<8x20xf32>) outs(%64 : tensor<20xf32>) {
    ^bb0(%in: f32, %out: f32):
      %86 = arith.addf %out, %in : f32
      linalg.yield %86 : f32
    } -> tensor<20xf32>
    %extracted_slice_10 = tensor.extract_slice %34#0[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x20xf32> to tensor<4x2x5xf32>
    %extracted_slice_11 = tensor.extract_slice %34#0[0, 0, 5] [4, 2, 5] [1, 1, 1] : tensor<4x2x20xf32> to tensor<4x2x5xf32>
    %extracted_slice_12 = tensor.extract_slice %34#0[0, 0, 15] [4, 2, 5] [1, 1, 1] : tensor<4x2x20xf32> to tensor<4x2x5xf32>
    %expanded_13 = tensor.expand_shape %14 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %66 = tensor.empty() : tensor<5x2x5xf32>
    %inserted_slice_14 = tensor.insert_slice %expanded_13 into %66[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<5x2x5xf32>
    %inserted_slice_15 = tensor.insert_slice %7 into %inserted_slice_14[1, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<5x2x5xf32>
    %extracted_slice_16 = tensor.extract_slice %inserted_slice_15[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<5x2x5xf32> to tensor<4x2x5xf32>
    %67 = tensor.empty() : tensor<4x2x5xf32>
    %68 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %extracted_slice_16 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%67 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_17: f32, %out: f32):
      %86 = arith.select %in, %in_17, %cst : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x5xf32>
    %69 = tensor.empty() : tensor<4x2x5xf32>
    %70 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %7 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%69 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_17: f32, %out: f32):
      %86 = arith.select %in, %in_17, %cst : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x5xf32>
    %71 = tensor.empty() : tensor<4x2x5xf32>
    %72 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_10, %68 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%71 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %86 = arith.mulf %in, %in_17 : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x5xf32>
    %73 = tensor.empty() : tensor<5xf32>
    %74 = linalg.fill ins(%cst : f32) outs(%73 : tensor<5xf32>) -> tensor<5xf32>
    %75 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%72 : tensor<4x2x5xf32>) outs(%74 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %86 = arith.addf %out, %in : f32
      linalg.yield %86 : f32
    } -> tensor<5xf32>
    %76 = tensor.empty() : tensor<4x2x5xf32>
    %77 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_11, %68 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%76 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %86 = arith.mulf %in, %in_17 : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x5xf32>
    %78 = tensor.empty() : tensor<5xf32>
    %79 = linalg.fill ins(%cst : f32) outs(%78 : tensor<5xf32>) -> tensor<5xf32>
    %80 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%77 : tensor<4x2x5xf32>) outs(%79 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %86 = arith.addf %out, %in : f32
      linalg.yield %86 : f32
    } -> tensor<5xf32>
    %81 = tensor.empty() : tensor<4x2x5xf32>
    %82 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_12, %70 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%81 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %86 = arith.mulf %in, %in_17 : f32
      linalg.yield %86 : f32
    } -> tensor<4x2x5xf32>
    %83 = tensor.empty() : tensor<5xf32>
    %84 = linalg.fill ins(%cst : f32) outs(%83 : tensor<5xf32>) -> tensor<5xf32>
    %85 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "reduction", "reduction"]} ins(%82 : tensor<4x2x5xf32>) outs(%84 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %86 = arith.addf %out, %in : f32
      linalg.yield %86 : f32
    } -> tensor<5xf32>
    util.return %49, %extracted_slice_1, %extracted_slice_2, %62, %75, %80, %85, %65 : tensor<4x2x3xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<8x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<20xf32>
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
  util.func public @gru_block_cell_parameter_grad(%arg0: tensor<2x3xf32>, %arg1: tensor<2x5xf32>, %arg2: tensor<2x5xf32>, %arg3: tensor<2x5xf32>, %arg4: tensor<2x10xf32>) -> (tensor<8x10xf32>, tensor<8x5xf32>, tensor<10xf32>, tensor<5xf32>) attributes {iree.reflection = {rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "x: float32[2,3], h_prev: float32[2,5], r: float32[2,5], d_c_bar: float32[2,5], d_r_bar_u_bar: float32[2,10]", rnn_compiler.attributes = "{}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "GRUBlockCellParameterGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "d_w_ru: float32[8,10], d_w_c: float32[8,5], d_b_ru: float32[10], d_b_c: float32[5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = util.optimization_barrier %arg4 : tensor<2x10xf32>
    %1 = util.optimization_barrier %arg3 : tensor<2x5xf32>
    %2 = util.optimization_barrier %arg2 : tensor<2x5xf32>
    %3 = util.optimization_barrier %arg1 : tensor<2x5xf32>
    %4 = util.optimization_barrier %arg0 : tensor<2x3xf32>
    %5 = tensor.empty() : tensor<2x8xf32>
    %inserted_slice = tensor.insert_slice %4 into %5[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x8xf32>
    %inserted_slice_0 = tensor.insert_slice %3 into %inserted_slice[0, 3] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x8xf32>
    %6 = tensor.empty() : tensor<8x2xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%inserted_slice_0 : tensor<2x8xf32>) outs(%6 : tensor<8x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x2xf32>
    %8 = tensor.empty() : tensor<8x10xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<8x10xf32>) -> tensor<8x10xf32>
    %10 = linalg.matmul ins(%7, %0 : tensor<8x2xf32>, tensor<2x10xf32>) outs(%9 : tensor<8x10xf32>) -> tensor<8x10xf32>
    %11 = tensor.empty() : tensor<2x5xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%11 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.mulf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<2x5xf32>
    %13 = tensor.empty() : tensor<2x8xf32>
    %inserted_slice_1 = tensor.insert_slice %4 into %13[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x8xf32>
    %inserted_slice_2 = tensor.insert_slice %12 into %inserted_slice_1[0, 3] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<2x8xf32>
    %14 = tensor.empty() : tensor<8x2xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%inserted_slice_2 : tensor<2x8xf32>) outs(%14 : tensor<8x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x2xf32>
    %16 = tensor.empty() : tensor<8x5xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %18 = linalg.matmul ins(%15, %1 : tensor<8x2xf32>, tensor<2x5xf32>) outs(%17 : tensor<8x5xf32>) -> tensor<8x5xf32>
    %19 = tensor.empty() : tensor<10xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<10xf32>) -> tensor<10xf32>
    %21 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<2x10xf32>) outs(%20 : tensor<10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<10xf32>
    %22 = tensor.empty() : tensor<5xf32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<5xf32>) -> tensor<5xf32>
    %24 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<2x5xf32>) outs(%23 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<5xf32>
    util.return %10, %18, %21, %24 : tensor<8x10xf32>, tensor<8x5xf32>, tensor<10xf32>, tensor<5xf32>
  }
  util.func public @onnx_lstm_prepack(%arg0: tensor<2x20x3xf32>, %arg1: tensor<2x20x5xf32>, %arg2: tensor<2x40xf32>, %arg3: tensor<2x15xf32>) -> (tensor<20xf32>, tensor<5x20xf32>, tensor<20xf32>, tensor<5x20xf32>) {
    %0 = util.optimization_barrier %arg2 : tensor<2x40xf32>
    %1 = util.optimization_barrier %arg1 : tensor<2x20x5xf32>
    %extracted_slice = tensor.extract_slice %0[0, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<1x40xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x40xf32> into tensor<40xf32>
    %extracted_slice_0 = tensor.extract_slice %collapsed[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %extracted_slice_1 = tensor.extract_slice %collapsed[20] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %2 = tensor.empty() : tensor<20xf32>
    %3 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%extracted_slice_0, %extracted_slice_1 : tensor<20xf32>, tensor<20xf32>) outs(%2 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %14 = arith.addf %in, %in_10 : f32
      linalg.yield %14 : f32
    } -> tensor<20xf32>
    %extracted_slice_2 = tensor.extract_slice %1[0, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<1x20x5xf32>
    %collapsed_3 = tensor.collapse_shape %extracted_slice_2 [[0, 1], [2]] : tensor<1x20x5xf32> into tensor<20x5xf32>
    %4 = flow.tensor.clone %3 : tensor<20xf32>
    %5 = tensor.empty() : tensor<5x20xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_3 : tensor<20x5xf32>) outs(%5 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %7 = flow.tensor.clone %6 : tensor<5x20xf32>
    %extracted_slice_4 = tensor.extract_slice %0[1, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<1x40xf32>
    %collapsed_5 = tensor.collapse_shape %extracted_slice_4 [[0, 1]] : tensor<1x40xf32> into tensor<40xf32>
    %extracted_slice_6 = tensor.extract_slice %collapsed_5[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %extracted_slice_7 = tensor.extract_slice %collapsed_5[20] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %8 = tensor.empty() : tensor<20xf32>
    %9 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%extracted_slice_6, %extracted_slice_7 : tensor<20xf32>, tensor<20xf32>) outs(%8 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %14 = arith.addf %in, %in_10 : f32
      linalg.yield %14 : f32
    } -> tensor<20xf32>
    %extracted_slice_8 = tensor.extract_slice %1[1, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<1x20x5xf32>
    %collapsed_9 = tensor.collapse_shape %extracted_slice_8 [[0, 1], [2]] : tensor<1x20x5xf32> into tensor<20x5xf32>
    %10 = flow.tensor.clone %9 : tensor<20xf32>
    %11 = tensor.empty() : tensor<5x20xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_9 : tensor<20x5xf32>) outs(%11 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %13 = flow.tensor.clone %12 : tensor<5x20xf32>
    util.return %4, %7, %10, %13 : tensor<20xf32>, tensor<5x20xf32>, tensor<20xf32>, tensor<5x20xf32>
  }
  util.func public @onnx_lstm_prepacked(%arg0: tensor<4x2x3xf32>, %arg1: tensor<2x20x3xf32>, %arg2: tensor<2x20x5xf32>, %arg3: tensor<2x40xf32>, %arg4: tensor<2xi32>, %arg5: tensor<2x2x5xf32>, %arg6: tensor<2x2x5xf32>, %arg7: tensor<2x15xf32>, %arg8: tensor<20xf32>, %arg9: tensor<5x20xf32>, %arg10: tensor<20xf32>, %arg11: tensor<5x20xf32>) -> (tensor<4x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) attributes {iree.abi.model = "coarse-fences"} {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = util.optimization_barrier %arg7 : tensor<2x15xf32>
    %1 = util.optimization_barrier %arg6 : tensor<2x2x5xf32>
    %2 = util.optimization_barrier %arg5 : tensor<2x2x5xf32>
    %3 = util.optimization_barrier %arg4 : tensor<2xi32>
    %4 = util.optimization_barrier %arg1 : tensor<2x20x3xf32>
    %5 = util.optimization_barrier %arg0 : tensor<4x2x3xf32>
    %6 = tensor.empty() : tensor<i32>
    %7 = linalg.fill ins(%c0_i32 : i32) outs(%6 : tensor<i32>) -> tensor<i32>
    %8 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["reduction"]} ins(%3 : tensor<2xi32>) outs(%7 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %54 = arith.maxsi %out, %in : i32
      linalg.yield %54 : i32
    } -> tensor<i32>
    %9 = tensor.empty() : tensor<i32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%8 : tensor<i32>) outs(%9 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %54 = arith.maxsi %in, %c0_i32 : i32
      %55 = arith.minsi %54, %c4_i32 : i32
      linalg.yield %55 : i32
    } -> tensor<i32>
    %11 = tensor.empty() : tensor<2xi32>
    %12 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%3 : tensor<2xi32>) outs(%11 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      %54 = arith.maxsi %in, %c0_i32 : i32
      %55 = arith.minsi %54, %c4_i32 : i32
      linalg.yield %55 : i32
    } -> tensor<2xi32>
    %13 = tensor.empty() : tensor<i64>
    %14 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%10 : tensor<i32>) outs(%13 : tensor<i64>) {
    ^bb0(%in: i32, %out: i64):
      %54 = arith.extsi %in : i32 to i64
      linalg.yield %54 : i64
    } -> tensor<i64>
    %15 = tensor.empty() : tensor<2xi64>
    %16 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%12 : tensor<2xi32>) outs(%15 : tensor<2xi64>) {
    ^bb0(%in: i32, %out: i64):
      %54 = arith.extsi %in : i32 to i64
      linalg.yield %54 : i64
    } -> tensor<2xi64>
    %extracted_slice = tensor.extract_slice %4[0, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<1x20x3xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x20x3xf32> into tensor<20x3xf32>
    %collapsed_0 = tensor.collapse_shape %5 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %17 = tensor.empty() : tensor<3x20xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<20x3xf32>) outs(%17 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %19 = tensor.empty() : tensor<8x20xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %21 = linalg.matmul ins(%collapsed_0, %18 : tensor<8x3xf32>, tensor<3x20xf32>) outs(%20 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %expanded = tensor.expand_shape %21 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_1 = tensor.extract_slice %0[0, 0] [1, 15] [1, 1] : tensor<2x15xf32> to tensor<1x15xf32>
    %collapsed_2 = tensor.collapse_shape %extracted_slice_1 [[0, 1]] : tensor<1x15xf32> into tensor<15xf32>
    %extracted_slice_3 = tensor.extract_slice %collapsed_2[0] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_4 = tensor.extract_slice %collapsed_2[5] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_5 = tensor.extract_slice %collapsed_2[10] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_6 = tensor.extract_slice %2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_7 = tensor.collapse_shape %extracted_slice_6 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_8 = tensor.extract_slice %1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_9 = tensor.collapse_shape %extracted_slice_8 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %22 = flow.tensor.clone %expanded : tensor<4x2x20xf32>
    %23 = flow.tensor.clone %extracted_slice_3 : tensor<5xf32>
    %24 = flow.tensor.clone %extracted_slice_4 : tensor<5xf32>
    %25 = flow.tensor.clone %extracted_slice_5 : tensor<5xf32>
    %26 = flow.tensor.clone %16 : tensor<2xi64>
    %27 = flow.tensor.clone %arg8 : tensor<20xf32>
    %28 = flow.tensor.clone %collapsed_7 : tensor<2x5xf32>
    %29 = flow.tensor.clone %collapsed_9 : tensor<2x5xf32>
    %30 = flow.tensor.clone %arg9 : tensor<5x20xf32>
    %31 = flow.tensor.clone %28 : tensor<2x5xf32>
    %32 = flow.tensor.clone %29 : tensor<2x5xf32>
    %33:3 = flow.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%14, %22, %23, %24, %25, %26, %27, %30, %31, %32) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_10 = tensor.extract_slice %33#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_11 = tensor.extract_slice %33#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %expanded_12 = tensor.expand_shape %33#0 [[0], [1, 2], [3]] output_shape [4, 1, 2, 5] : tensor<4x2x5xf32> into tensor<4x1x2x5xf32>
    %expanded_13 = tensor.expand_shape %extracted_slice_10 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %expanded_14 = tensor.expand_shape %extracted_slice_11 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %extracted_slice_15 = tensor.extract_slice %4[1, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<1x20x3xf32>
    %collapsed_16 = tensor.collapse_shape %extracted_slice_15 [[0, 1], [2]] : tensor<1x20x3xf32> into tensor<20x3xf32>
    %collapsed_17 = tensor.collapse_shape %5 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %34 = tensor.empty() : tensor<3x20xf32>
    %35 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_16 : tensor<20x3xf32>) outs(%34 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %36 = tensor.empty() : tensor<8x20xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %38 = linalg.matmul ins(%collapsed_17, %35 : tensor<8x3xf32>, tensor<3x20xf32>) outs(%37 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %expanded_18 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_19 = tensor.extract_slice %0[1, 0] [1, 15] [1, 1] : tensor<2x15xf32> to tensor<1x15xf32>
    %collapsed_20 = tensor.collapse_shape %extracted_slice_19 [[0, 1]] : tensor<1x15xf32> into tensor<15xf32>
    %extracted_slice_21 = tensor.extract_slice %collapsed_20[0] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_22 = tensor.extract_slice %collapsed_20[5] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_23 = tensor.extract_slice %collapsed_20[10] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_24 = tensor.extract_slice %2[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_25 = tensor.collapse_shape %extracted_slice_24 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_26 = tensor.extract_slice %1[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_27 = tensor.collapse_shape %extracted_slice_26 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %39 = flow.tensor.clone %expanded_18 : tensor<4x2x20xf32>
    %40 = flow.tensor.clone %extracted_slice_21 : tensor<5xf32>
    %41 = flow.tensor.clone %extracted_slice_22 : tensor<5xf32>
    %42 = flow.tensor.clone %extracted_slice_23 : tensor<5xf32>
    %43 = flow.tensor.clone %16 : tensor<2xi64>
    %44 = flow.tensor.clone %arg10 : tensor<20xf32>
    %45 = flow.tensor.clone %collapsed_25 : tensor<2x5xf32>
    %46 = flow.tensor.clone %collapsed_27 : tensor<2x5xf32>
    %47 = flow.tensor.clone %arg11 : tensor<5x20xf32>
    %48 = flow.tensor.clone %45 : tensor<2x5xf32>
    %49 = flow.tensor.clone %46 : tensor<2x5xf32>
    %50:3 = flow.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%14, %39, %40, %41, %42, %43, %44, %47, %48, %49) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_28 = tensor.extract_slice %50#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_29 = tensor.extract_slice %50#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %expanded_30 = tensor.expand_shape %50#0 [[0], [1, 2], [3]] output_shape [4, 1, 2, 5] : tensor<4x2x5xf32> into tensor<4x1x2x5xf32>
    %expanded_31 = tensor.expand_shape %extracted_slice_28 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %expanded_32 = tensor.expand_shape %extracted_slice_29 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %51 = tensor.empty() : tensor<4x2x2x5xf32>
    %inserted_slice = tensor.insert_slice %expanded_12 into %51[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x1x2x5xf32> into tensor<4x2x2x5xf32>
    %inserted_slice_33 = tensor.insert_slice %expanded_30 into %inserted_slice[0, %c1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x1x2x5xf32> into tensor<4x2x2x5xf32>
    %52 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_34 = tensor.insert_slice %expanded_13 into %52[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_35 = tensor.insert_slice %expanded_31 into %inserted_slice_34[%c1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %53 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_36 = tensor.insert_slice %expanded_14 into %53[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_37 = tensor.insert_slice %expanded_32 into %inserted_slice_36[%c1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    util.return %inserted_slice_33, %inserted_slice_35, %inserted_slice_37 : tensor<4x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
  }
  util.func public @onnx_lstm(%arg0: tensor<4x2x3xf32>, %arg1: tensor<2x20x3xf32>, %arg2: tensor<2x20x5xf32>, %arg3: tensor<2x40xf32>, %arg4: tensor<2xi32>, %arg5: tensor<2x2x5xf32>, %arg6: tensor<2x2x5xf32>, %arg7: tensor<2x15xf32>) -> (tensor<4x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>) attributes {iree.reflection = {rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,20,3], R: float32[2,20,5], B: float32[2,40], sequence_lens: int32[2], initial_h: float32[2,2,5], initial_c: float32[2,2,5], P: float32[2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22HardSigmoid Softsign Elu Sigmoid ScaledTanh Softplus\22, \22activation_alpha\22: \220.3 1.2 0.8\22, \22activation_beta\22: \220.4 0.9\22, \22clip\22: 2.5, \22hidden_size\22: 0, \22layout\22: 0, \22input_forget\22: 0, \22inputs\22: \22B sequence_lens initial_h initial_c P\22, \22is_training\22: false}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.LSTM", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "Y: float32[4,2,2,5], Y_h: float32[2,2,5], Y_c: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %cst = arith.constant 0.000000e+00 : f32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = util.optimization_barrier %arg7 : tensor<2x15xf32>
    %1 = util.optimization_barrier %arg6 : tensor<2x2x5xf32>
    %2 = util.optimization_barrier %arg5 : tensor<2x2x5xf32>
    %3 = util.optimization_barrier %arg4 : tensor<2xi32>
    %4 = util.optimization_barrier %arg3 : tensor<2x40xf32>
    %5 = util.optimization_barrier %arg2 : tensor<2x20x5xf32>
    %6 = util.optimization_barrier %arg1 : tensor<2x20x3xf32>
    %7 = util.optimization_barrier %arg0 : tensor<4x2x3xf32>
    %8 = tensor.empty() : tensor<i32>
    %9 = linalg.fill ins(%c0_i32 : i32) outs(%8 : tensor<i32>) -> tensor<i32>
    %10 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["reduction"]} ins(%3 : tensor<2xi32>) outs(%9 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.maxsi %out, %in : i32
      linalg.yield %63 : i32
    } -> tensor<i32>
    %11 = tensor.empty() : tensor<i32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%10 : tensor<i32>) outs(%11 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.maxsi %in, %c0_i32 : i32
      %64 = arith.minsi %63, %c4_i32 : i32
      linalg.yield %64 : i32
    } -> tensor<i32>
    %13 = tensor.empty() : tensor<2xi32>
    %14 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%3 : tensor<2xi32>) outs(%13 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.maxsi %in, %c0_i32 : i32
      %64 = arith.minsi %63, %c4_i32 : i32
      linalg.yield %64 : i32
    } -> tensor<2xi32>
    %15 = tensor.empty() : tensor<i64>
    %16 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%12 : tensor<i32>) outs(%15 : tensor<i64>) {
    ^bb0(%in: i32, %out: i64):
      %63 = arith.extsi %in : i32 to i64
      linalg.yield %63 : i64
    } -> tensor<i64>
    %17 = tensor.empty() : tensor<2xi64>
    %18 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%14 : tensor<2xi32>) outs(%17 : tensor<2xi64>) {
    ^bb0(%in: i32, %out: i64):
      %63 = arith.extsi %in : i32 to i64
      linalg.yield %63 : i64
    } -> tensor<2xi64>
    %extracted_slice = tensor.extract_slice %6[0, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<1x20x3xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<1x20x3xf32> into tensor<20x3xf32>
    %collapsed_0 = tensor.collapse_shape %7 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %19 = tensor.empty() : tensor<3x20xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<20x3xf32>) outs(%19 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %21 = tensor.empty() : tensor<8x20xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %23 = linalg.matmul ins(%collapsed_0, %20 : tensor<8x3xf32>, tensor<3x20xf32>) outs(%22 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %expanded = tensor.expand_shape %23 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_1 = tensor.extract_slice %4[0, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<1x40xf32>
    %collapsed_2 = tensor.collapse_shape %extracted_slice_1 [[0, 1]] : tensor<1x40xf32> into tensor<40xf32>
    %extracted_slice_3 = tensor.extract_slice %collapsed_2[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %extracted_slice_4 = tensor.extract_slice %collapsed_2[20] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %24 = tensor.empty() : tensor<20xf32>
    %25 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%extracted_slice_3, %extracted_slice_4 : tensor<20xf32>, tensor<20xf32>) outs(%24 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %63 = arith.addf %in, %in_49 : f32
      linalg.yield %63 : f32
    } -> tensor<20xf32>
    %extracted_slice_5 = tensor.extract_slice %0[0, 0] [1, 15] [1, 1] : tensor<2x15xf32> to tensor<1x15xf32>
    %collapsed_6 = tensor.collapse_shape %extracted_slice_5 [[0, 1]] : tensor<1x15xf32> into tensor<15xf32>
    %extracted_slice_7 = tensor.extract_slice %collapsed_6[0] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_8 = tensor.extract_slice %collapsed_6[5] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_9 = tensor.extract_slice %collapsed_6[10] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_10 = tensor.extract_slice %5[0, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<1x20x5xf32>
    %collapsed_11 = tensor.collapse_shape %extracted_slice_10 [[0, 1], [2]] : tensor<1x20x5xf32> into tensor<20x5xf32>
    %extracted_slice_12 = tensor.extract_slice %2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_13 = tensor.collapse_shape %extracted_slice_12 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_14 = tensor.extract_slice %1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_15 = tensor.collapse_shape %extracted_slice_14 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %26 = flow.tensor.clone %expanded : tensor<4x2x20xf32>
    %27 = flow.tensor.clone %extracted_slice_7 : tensor<5xf32>
    %28 = flow.tensor.clone %extracted_slice_8 : tensor<5xf32>
    %29 = flow.tensor.clone %extracted_slice_9 : tensor<5xf32>
    %30 = flow.tensor.clone %18 : tensor<2xi64>
    %31 = flow.tensor.clone %25 : tensor<20xf32>
    %32 = flow.tensor.clone %collapsed_13 : tensor<2x5xf32>
    %33 = flow.tensor.clone %collapsed_15 : tensor<2x5xf32>
    %34 = tensor.empty() : tensor<5x20xf32>
    %35 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_11 : tensor<20x5xf32>) outs(%34 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %36 = flow.tensor.clone %35 : tensor<5x20xf32>
    %37 = flow.tensor.clone %32 : tensor<2x5xf32>
    %38 = flow.tensor.clone %33 : tensor<2x5xf32>
    %39:3 = flow.dispatch @onnx_lstm_lstm_forward_loop::@onnx_lstm_lstm_forward_loop(%16, %26, %27, %28, %29, %30, %31, %36, %37, %38) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_16 = tensor.extract_slice %39#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_17 = tensor.extract_slice %39#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %expanded_18 = tensor.expand_shape %39#0 [[0], [1, 2], [3]] output_shape [4, 1, 2, 5] : tensor<4x2x5xf32> into tensor<4x1x2x5xf32>
    %expanded_19 = tensor.expand_shape %extracted_slice_16 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %expanded_20 = tensor.expand_shape %extracted_slice_17 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %extracted_slice_21 = tensor.extract_slice %6[1, 0, 0] [1, 20, 3] [1, 1, 1] : tensor<2x20x3xf32> to tensor<1x20x3xf32>
    %collapsed_22 = tensor.collapse_shape %extracted_slice_21 [[0, 1], [2]] : tensor<1x20x3xf32> into tensor<20x3xf32>
    %40 = tensor.empty() : tensor<3x20xf32>
    %41 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_22 : tensor<20x3xf32>) outs(%40 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %42 = tensor.empty() : tensor<8x20xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %44 = linalg.matmul ins(%collapsed_0, %41 : tensor<8x3xf32>, tensor<3x20xf32>) outs(%43 : tensor<8x20xf32>) -> tensor<8x20xf32>
    %expanded_23 = tensor.expand_shape %44 [[0, 1], [2]] output_shape [4, 2, 20] : tensor<8x20xf32> into tensor<4x2x20xf32>
    %extracted_slice_24 = tensor.extract_slice %4[1, 0] [1, 40] [1, 1] : tensor<2x40xf32> to tensor<1x40xf32>
    %collapsed_25 = tensor.collapse_shape %extracted_slice_24 [[0, 1]] : tensor<1x40xf32> into tensor<40xf32>
    %extracted_slice_26 = tensor.extract_slice %collapsed_25[0] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %extracted_slice_27 = tensor.extract_slice %collapsed_25[20] [20] [1] : tensor<40xf32> to tensor<20xf32>
    %45 = tensor.empty() : tensor<20xf32>
    %46 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%extracted_slice_26, %extracted_slice_27 : tensor<20xf32>, tensor<20xf32>) outs(%45 : tensor<20xf32>) {
    ^bb0(%in: f32, %in_49: f32, %out: f32):
      %63 = arith.addf %in, %in_49 : f32
      linalg.yield %63 : f32
    } -> tensor<20xf32>
    %extracted_slice_28 = tensor.extract_slice %0[1, 0] [1, 15] [1, 1] : tensor<2x15xf32> to tensor<1x15xf32>
    %collapsed_29 = tensor.collapse_shape %extracted_slice_28 [[0, 1]] : tensor<1x15xf32> into tensor<15xf32>
    %extracted_slice_30 = tensor.extract_slice %collapsed_29[0] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_31 = tensor.extract_slice %collapsed_29[5] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_32 = tensor.extract_slice %collapsed_29[10] [5] [1] : tensor<15xf32> to tensor<5xf32>
    %extracted_slice_33 = tensor.extract_slice %5[1, 0, 0] [1, 20, 5] [1, 1, 1] : tensor<2x20x5xf32> to tensor<1x20x5xf32>
    %collapsed_34 = tensor.collapse_shape %extracted_slice_33 [[0, 1], [2]] : tensor<1x20x5xf32> into tensor<20x5xf32>
    %extracted_slice_35 = tensor.extract_slice %2[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_36 = tensor.collapse_shape %extracted_slice_35 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_37 = tensor.extract_slice %1[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_38 = tensor.collapse_shape %extracted_slice_37 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %47 = flow.tensor.clone %expanded_23 : tensor<4x2x20xf32>
    %48 = flow.tensor.clone %extracted_slice_30 : tensor<5xf32>
    %49 = flow.tensor.clone %extracted_slice_31 : tensor<5xf32>
    %50 = flow.tensor.clone %extracted_slice_32 : tensor<5xf32>
    %51 = flow.tensor.clone %46 : tensor<20xf32>
    %52 = flow.tensor.clone %collapsed_36 : tensor<2x5xf32>
    %53 = flow.tensor.clone %collapsed_38 : tensor<2x5xf32>
    %54 = tensor.empty() : tensor<5x20xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_34 : tensor<20x5xf32>) outs(%54 : tensor<5x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x20xf32>
    %56 = flow.tensor.clone %55 : tensor<5x20xf32>
    %57 = flow.tensor.clone %52 : tensor<2x5xf32>
    %58 = flow.tensor.clone %53 : tensor<2x5xf32>
    %59:3 = flow.dispatch @onnx_lstm_lstm_forward_3_loop::@onnx_lstm_lstm_forward_3_loop(%16, %47, %48, %49, %50, %30, %51, %56, %57, %58) : (tensor<i64>, tensor<4x2x20xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<2xi64>, tensor<20xf32>, tensor<5x20xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_39 = tensor.extract_slice %59#1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_40 = tensor.extract_slice %59#2[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %expanded_41 = tensor.expand_shape %59#0 [[0], [1, 2], [3]] output_shape [4, 1, 2, 5] : tensor<4x2x5xf32> into tensor<4x1x2x5xf32>
    %expanded_42 = tensor.expand_shape %extracted_slice_39 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %expanded_43 = tensor.expand_shape %extracted_slice_40 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %60 = tensor.empty() : tensor<4x2x2x5xf32>
    %inserted_slice = tensor.insert_slice %expanded_18 into %60[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x1x2x5xf32> into tensor<4x2x2x5xf32>
    %inserted_slice_44 = tensor.insert_slice %expanded_41 into %inserted_slice[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x1x2x5xf32> into tensor<4x2x2x5xf32>
    %61 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_45 = tensor.insert_slice %expanded_19 into %61[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_46 = tensor.insert_slice %expanded_42 into %inserted_slice_45[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %62 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_47 = tensor.insert_slice %expanded_20 into %62[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_48 = tensor.insert_slice %expanded_43 into %inserted_slice_47[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    util.return %inserted_slice_44, %inserted_slice_46, %inserted_slice_48 : tensor<4x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>
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
  util.func public @onnx_gru_grad(%arg0: tensor<4x2x3xf32>, %arg1: tensor<2x15x3xf32>, %arg2: tensor<2x15x5xf32>, %arg3: tensor<2x30xf32>, %arg4: tensor<2xi32>, %arg5: tensor<2x2x5xf32>, %arg6: tensor<4x2x2x5xf32>, %arg7: tensor<4x2x2x5xf32>, %arg8: tensor<2x2x5xf32>, %arg9: tensor<2x4x2x15xf32>) -> (tensor<4x2x3xf32>, tensor<2x15x3xf32>, tensor<2x15x5xf32>, tensor<2x30xf32>, tensor<2x2x5xf32>) attributes {iree.reflection = {rnn_compiler.architecture = "x86_64", rnn_compiler.arguments = "X: float32[4,2,3], W: float32[2,15,3], R: float32[2,15,5], B: float32[2,30], sequence_lens: int32[2], initial_h: float32[2,2,5], Y: float32[4,2,2,5], Y_grad: float32[4,2,2,5], Y_h_grad: float32[2,2,5], reserve_space: float32[2,4,2,15]", rnn_compiler.attributes = "{\22direction\22: \22bidirectional\22, \22activations\22: \22\22, \22activation_alpha\22: \22\22, \22activation_beta\22: \22\22, \22clip\22: 0.0, \22hidden_size\22: 0, \22layout\22: 0, \22linear_before_reset\22: 0, \22inputs\22: \22B sequence_lens initial_h\22}", rnn_compiler.compiler_version = "3.13.0", rnn_compiler.dims = "{\22seq_length\22: 4, \22batch_size\22: 2, \22input_size\22: 3, \22num_units\22: 5}", rnn_compiler.dtype = "float32", rnn_compiler.features = "aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,bmi,bmi2,cx16,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq,xsave", rnn_compiler.op = "onnx.GRUGrad", rnn_compiler.package_version = "0.3.0", rnn_compiler.results = "X_grad: float32[4,2,3], W_grad: float32[2,15,3], R_grad: float32[2,15,5], B_grad: float32[2,30], initial_h_grad: float32[2,2,5]", rnn_compiler.strategy = "fused", rnn_compiler.target = "cpu"}} {
    %c1_i64 = arith.constant 1 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<2x5xf32>
    %0 = util.optimization_barrier %arg9 : tensor<2x4x2x15xf32>
    %1 = util.optimization_barrier %arg8 : tensor<2x2x5xf32>
    %2 = util.optimization_barrier %arg7 : tensor<4x2x2x5xf32>
    %3 = util.optimization_barrier %arg6 : tensor<4x2x2x5xf32>
    %4 = util.optimization_barrier %arg5 : tensor<2x2x5xf32>
    %5 = util.optimization_barrier %arg4 : tensor<2xi32>
    %6 = util.optimization_barrier %arg2 : tensor<2x15x5xf32>
    %7 = util.optimization_barrier %arg1 : tensor<2x15x3xf32>
    %8 = util.optimization_barrier %arg0 : tensor<4x2x3xf32>
    %9 = tensor.empty() : tensor<i32>
    %10 = linalg.fill ins(%c0_i32 : i32) outs(%9 : tensor<i32>) -> tensor<i32>
    %11 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["reduction"]} ins(%5 : tensor<2xi32>) outs(%10 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %125 = arith.maxsi %out, %in : i32
      linalg.yield %125 : i32
    } -> tensor<i32>
    %12 = tensor.empty() : tensor<i32>
    %13 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%11 : tensor<i32>) outs(%12 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %125 = arith.maxsi %in, %c0_i32 : i32
      %126 = arith.minsi %125, %c4_i32 : i32
      linalg.yield %126 : i32
    } -> tensor<i32>
    %14 = tensor.empty() : tensor<2xi32>
    %15 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%5 : tensor<2xi32>) outs(%14 : tensor<2xi32>) {
    ^bb0(%in: i32, %out: i32):
      %125 = arith.maxsi %in, %c0_i32 : i32
      %126 = arith.minsi %125, %c4_i32 : i32
      linalg.yield %126 : i32
    } -> tensor<2xi32>
    %16 = tensor.empty() : tensor<i64>
    %17 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%13 : tensor<i32>) outs(%16 : tensor<i64>) {
    ^bb0(%in: i32, %out: i64):
      %125 = arith.extsi %in : i32 to i64
      linalg.yield %125 : i64
    } -> tensor<i64>
    %18 = tensor.empty() : tensor<2xi64>
    %19 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%15 : tensor<2xi32>) outs(%18 : tensor<2xi64>) {
    ^bb0(%in: i32, %out: i64):
      %125 = arith.extsi %in : i32 to i64
      linalg.yield %125 : i64
    } -> tensor<2xi64>
    %20 = tensor.empty() : tensor<4x2xi64>
    %21 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%20 : tensor<4x2xi64>) {
    ^bb0(%out: i64):
      %125 = linalg.index 0 : index
      %126 = arith.index_cast %125 : index to i64
      linalg.yield %126 : i64
    } -> tensor<4x2xi64>
    %22 = tensor.empty() : tensor<4x2xi64>
    %23 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<2xi64>) outs(%22 : tensor<4x2xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x2xi64>
    %24 = tensor.empty() : tensor<4x2xi1>
    %25 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%21, %23 : tensor<4x2xi64>, tensor<4x2xi64>) outs(%24 : tensor<4x2xi1>) {
    ^bb0(%in: i64, %in_85: i64, %out: i1):
      %125 = arith.cmpi slt, %in, %in_85 : i64
      linalg.yield %125 : i1
    } -> tensor<4x2xi1>
    %26 = tensor.empty() : tensor<4x2x3xi1>
    %27 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<4x2xi1>) outs(%26 : tensor<4x2x3xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x3xi1>
    %28 = tensor.empty() : tensor<4x2x3xf32>
    %29 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %8 : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%28 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_85: f32, %out: f32):
      %125 = arith.select %in, %in_85, %cst : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x3xf32>
    %extracted_slice = tensor.extract_slice %3[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x1x2x5xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0], [1, 2], [3]] : tensor<4x1x2x5xf32> into tensor<4x2x5xf32>
    %30 = tensor.empty() : tensor<4x2x5xi1>
    %31 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%25 : tensor<4x2xi1>) outs(%30 : tensor<4x2x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x5xi1>
    %32 = tensor.empty() : tensor<4x2x5xf32>
    %33 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %collapsed : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%32 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_85: f32, %out: f32):
      %125 = arith.select %in, %in_85, %cst : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_1 = tensor.extract_slice %2[0, 0, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x1x2x5xf32>
    %collapsed_2 = tensor.collapse_shape %extracted_slice_1 [[0], [1, 2], [3]] : tensor<4x1x2x5xf32> into tensor<4x2x5xf32>
    %extracted_slice_3 = tensor.extract_slice %0[0, 0, 0, 0] [1, 4, 2, 15] [1, 1, 1, 1] : tensor<2x4x2x15xf32> to tensor<1x4x2x15xf32>
    %collapsed_4 = tensor.collapse_shape %extracted_slice_3 [[0, 1], [2], [3]] : tensor<1x4x2x15xf32> into tensor<4x2x15xf32>
    %extracted_slice_5 = tensor.extract_slice %4[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_6 = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_7 = tensor.extract_slice %1[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_8 = tensor.collapse_shape %extracted_slice_7 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_9 = tensor.extract_slice %3[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x1x2x5xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice_9 [[0], [1, 2], [3]] : tensor<4x1x2x5xf32> into tensor<4x2x5xf32>
    %34 = tensor.empty() : tensor<4x2x5xf32>
    %35 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %collapsed_10 : tensor<4x2x5xi1>, tensor<4x2x5xf32>) outs(%34 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_85: f32, %out: f32):
      %125 = arith.select %in, %in_85, %cst : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_11 = tensor.extract_slice %2[0, 1, 0, 0] [4, 1, 2, 5] [1, 1, 1, 1] : tensor<4x2x2x5xf32> to tensor<4x1x2x5xf32>
    %collapsed_12 = tensor.collapse_shape %extracted_slice_11 [[0], [1, 2], [3]] : tensor<4x1x2x5xf32> into tensor<4x2x5xf32>
    %extracted_slice_13 = tensor.extract_slice %0[1, 0, 0, 0] [1, 4, 2, 15] [1, 1, 1, 1] : tensor<2x4x2x15xf32> to tensor<1x4x2x15xf32>
    %collapsed_14 = tensor.collapse_shape %extracted_slice_13 [[0, 1], [2], [3]] : tensor<1x4x2x15xf32> into tensor<4x2x15xf32>
    %extracted_slice_15 = tensor.extract_slice %4[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_16 = tensor.collapse_shape %extracted_slice_15 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_17 = tensor.extract_slice %1[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<1x2x5xf32>
    %collapsed_18 = tensor.collapse_shape %extracted_slice_17 [[0, 1], [2]] : tensor<1x2x5xf32> into tensor<2x5xf32>
    %extracted_slice_19 = tensor.extract_slice %6[0, 0, 0] [1, 15, 5] [1, 1, 1] : tensor<2x15x5xf32> to tensor<1x15x5xf32>
    %collapsed_20 = tensor.collapse_shape %extracted_slice_19 [[0, 1], [2]] : tensor<1x15x5xf32> into tensor<15x5xf32>
    %extracted_slice_21 = tensor.extract_slice %collapsed_20[0, 0] [10, 5] [1, 1] : tensor<15x5xf32> to tensor<10x5xf32>
    %extracted_slice_22 = tensor.extract_slice %collapsed_20[10, 0] [5, 5] [1, 1] : tensor<15x5xf32> to tensor<5x5xf32>
    %36 = flow.tensor.clone %collapsed_2 : tensor<4x2x5xf32>
    %37 = flow.tensor.clone %33 : tensor<4x2x5xf32>
    %38 = flow.tensor.clone %collapsed_4 : tensor<4x2x15xf32>
    %39 = flow.tensor.clone %19 : tensor<2xi64>
    %40 = flow.tensor.clone %collapsed_6 : tensor<2x5xf32>
    %41 = flow.tensor.clone %collapsed_8 : tensor<2x5xf32>
    %42 = flow.tensor.clone %extracted_slice_22 : tensor<5x5xf32>
    %43 = flow.tensor.clone %extracted_slice_21 : tensor<10x5xf32>
    %44 = flow.tensor.clone %41 : tensor<2x5xf32>
    %45:5 = flow.dispatch @onnx_gru_grad_gru_reset_before_backward_loop::@onnx_gru_grad_gru_reset_before_backward_loop(%17, %36, %37, %38, %39, %40, %42, %43, %44, %cst_0) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x15xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<10x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_23 = tensor.extract_slice %45#3[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_24 = tensor.extract_slice %45#4[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_25 = tensor.extract_slice %6[1, 0, 0] [1, 15, 5] [1, 1, 1] : tensor<2x15x5xf32> to tensor<1x15x5xf32>
    %collapsed_26 = tensor.collapse_shape %extracted_slice_25 [[0, 1], [2]] : tensor<1x15x5xf32> into tensor<15x5xf32>
    %extracted_slice_27 = tensor.extract_slice %collapsed_26[0, 0] [10, 5] [1, 1] : tensor<15x5xf32> to tensor<10x5xf32>
    %extracted_slice_28 = tensor.extract_slice %collapsed_26[10, 0] [5, 5] [1, 1] : tensor<15x5xf32> to tensor<5x5xf32>
    %46 = flow.tensor.clone %collapsed_12 : tensor<4x2x5xf32>
    %47 = flow.tensor.clone %35 : tensor<4x2x5xf32>
    %48 = flow.tensor.clone %collapsed_14 : tensor<4x2x15xf32>
    %49 = flow.tensor.clone %collapsed_16 : tensor<2x5xf32>
    %50 = flow.tensor.clone %collapsed_18 : tensor<2x5xf32>
    %51 = flow.tensor.clone %extracted_slice_28 : tensor<5x5xf32>
    %52 = flow.tensor.clone %extracted_slice_27 : tensor<10x5xf32>
    %53 = flow.tensor.clone %50 : tensor<2x5xf32>
    %54:5 = flow.dispatch @onnx_gru_grad_gru_reset_before_backward_1_loop::@onnx_gru_grad_gru_reset_before_backward_1_loop(%17, %46, %47, %48, %39, %49, %51, %52, %53, %cst_0) : (tensor<i64>, tensor<4x2x5xf32>, tensor<4x2x5xf32>, tensor<4x2x15xf32>, tensor<2xi64>, tensor<2x5xf32>, tensor<5x5xf32>, tensor<10x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) -> (tensor<4x2x15xf32>, tensor<2x2x5xf32>, tensor<2x2x10xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
    %extracted_slice_29 = tensor.extract_slice %54#3[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_30 = tensor.extract_slice %54#4[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<2x2x5xf32> to tensor<2x5xf32>
    %extracted_slice_31 = tensor.extract_slice %7[0, 0, 0] [1, 15, 3] [1, 1, 1] : tensor<2x15x3xf32> to tensor<1x15x3xf32>
    %collapsed_32 = tensor.collapse_shape %extracted_slice_31 [[0, 1], [2]] : tensor<1x15x3xf32> into tensor<15x3xf32>
    %collapsed_33 = tensor.collapse_shape %45#0 [[0, 1], [2]] : tensor<4x2x15xf32> into tensor<8x15xf32>
    %55 = tensor.empty() : tensor<8x3xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %57 = linalg.matmul ins(%collapsed_33, %collapsed_32 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%56 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %collapsed_34 = tensor.collapse_shape %57 [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
    %extracted_slice_35 = tensor.extract_slice %33[0, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<3x2x5xf32>
    %58 = tensor.empty() : tensor<4x2x5xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice_5 into %58[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<4x2x5xf32>
    %inserted_slice_36 = tensor.insert_slice %extracted_slice_35 into %inserted_slice[1, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<3x2x5xf32> into tensor<4x2x5xf32>
    %extracted_slice_37 = tensor.extract_slice %collapsed_4[0, 0, 5] [4, 2, 5] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x5xf32>
    %59 = tensor.empty() : tensor<4x2x5xf32>
    %60 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_37, %inserted_slice_36 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%59 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_85: f32, %out: f32):
      %125 = arith.mulf %in, %in_85 : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_38 = tensor.extract_slice %45#0[0, 0, 0] [4, 2, 10] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x10xf32>
    %extracted_slice_39 = tensor.extract_slice %45#0[0, 0, 10] [4, 2, 5] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x5xf32>
    %collapsed_40 = tensor.collapse_shape %29 [[0, 1], [2]] : tensor<4x2x3xf32> into tensor<8x3xf32>
    %61 = tensor.empty() : tensor<15x8xf32>
    %62 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_33 : tensor<8x15xf32>) outs(%61 : tensor<15x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<15x8xf32>
    %63 = tensor.empty() : tensor<15x3xf32>
    %64 = linalg.fill ins(%cst : f32) outs(%63 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %65 = linalg.matmul ins(%62, %collapsed_40 : tensor<15x8xf32>, tensor<8x3xf32>) outs(%64 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %collapsed_41 = tensor.collapse_shape %extracted_slice_38 [[0, 1], [2]] : tensor<4x2x10xf32> into tensor<8x10xf32>
    %collapsed_42 = tensor.collapse_shape %inserted_slice_36 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %66 = tensor.empty() : tensor<10x8xf32>
    %67 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_41 : tensor<8x10xf32>) outs(%66 : tensor<10x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<10x8xf32>
    %68 = tensor.empty() : tensor<10x5xf32>
    %69 = linalg.fill ins(%cst : f32) outs(%68 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %70 = linalg.matmul ins(%67, %collapsed_42 : tensor<10x8xf32>, tensor<8x5xf32>) outs(%69 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %collapsed_43 = tensor.collapse_shape %extracted_slice_39 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %collapsed_44 = tensor.collapse_shape %60 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %71 = tensor.empty() : tensor<5x8xf32>
    %72 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_43 : tensor<8x5xf32>) outs(%71 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %73 = tensor.empty() : tensor<5x5xf32>
    %74 = linalg.fill ins(%cst : f32) outs(%73 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %75 = linalg.matmul ins(%72, %collapsed_44 : tensor<5x8xf32>, tensor<8x5xf32>) outs(%74 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %76 = tensor.empty() : tensor<15xf32>
    %77 = linalg.fill ins(%cst : f32) outs(%76 : tensor<15xf32>) -> tensor<15xf32>
    %78 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%collapsed_33 : tensor<8x15xf32>) outs(%77 : tensor<15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %125 = arith.addf %out, %in : f32
      linalg.yield %125 : f32
    } -> tensor<15xf32>
    %extracted_slice_45 = tensor.extract_slice %7[1, 0, 0] [1, 15, 3] [1, 1, 1] : tensor<2x15x3xf32> to tensor<1x15x3xf32>
    %collapsed_46 = tensor.collapse_shape %extracted_slice_45 [[0, 1], [2]] : tensor<1x15x3xf32> into tensor<15x3xf32>
    %collapsed_47 = tensor.collapse_shape %54#0 [[0, 1], [2]] : tensor<4x2x15xf32> into tensor<8x15xf32>
    %79 = tensor.empty() : tensor<8x3xf32>
    %80 = linalg.fill ins(%cst : f32) outs(%79 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %81 = linalg.matmul ins(%collapsed_47, %collapsed_46 : tensor<8x15xf32>, tensor<15x3xf32>) outs(%80 : tensor<8x3xf32>) -> tensor<8x3xf32>
    %collapsed_48 = tensor.collapse_shape %81 [[0, 1]] : tensor<8x3xf32> into tensor<24xf32>
    %extracted_slice_49 = tensor.extract_slice %35[1, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> to tensor<3x2x5xf32>
    %82 = tensor.empty() : tensor<4x2x5xf32>
    %inserted_slice_50 = tensor.insert_slice %extracted_slice_49 into %82[0, 0, 0] [3, 2, 5] [1, 1, 1] : tensor<3x2x5xf32> into tensor<4x2x5xf32>
    %inserted_slice_51 = tensor.insert_slice %extracted_slice_15 into %inserted_slice_50[3, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<4x2x5xf32>
    %83 = tensor.empty() : tensor<2xi64>
    %84 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = ["parallel"]} ins(%19 : tensor<2xi64>) outs(%83 : tensor<2xi64>) {
    ^bb0(%in: i64, %out: i64):
      %125 = arith.subi %in, %c1_i64 : i64
      linalg.yield %125 : i64
    } -> tensor<2xi64>
    %85 = tensor.empty() : tensor<4x2xi64>
    %86 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%84 : tensor<2xi64>) outs(%85 : tensor<4x2xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<4x2xi64>
    %87 = tensor.empty() : tensor<4x2xi1>
    %88 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%21, %86 : tensor<4x2xi64>, tensor<4x2xi64>) outs(%87 : tensor<4x2xi1>) {
    ^bb0(%in: i64, %in_85: i64, %out: i1):
      %125 = arith.cmpi eq, %in, %in_85 : i64
      linalg.yield %125 : i1
    } -> tensor<4x2xi1>
    %89 = tensor.empty() : tensor<4x2x5xi1>
    %90 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<4x2xi1>) outs(%89 : tensor<4x2x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<4x2x5xi1>
    %91 = tensor.empty() : tensor<4x2x5xf32>
    %92 = linalg.generic {indexing_maps = [#map12, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_15 : tensor<1x2x5xf32>) outs(%91 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x2x5xf32>
    %93 = tensor.empty() : tensor<4x2x5xf32>
    %94 = linalg.generic {indexing_maps = [#map7, #map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %92, %inserted_slice_51 : tensor<4x2x5xi1>, tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%93 : tensor<4x2x5xf32>) {
    ^bb0(%in: i1, %in_85: f32, %in_86: f32, %out: f32):
      %125 = arith.select %in, %in_85, %in_86 : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_52 = tensor.extract_slice %collapsed_14[0, 0, 5] [4, 2, 5] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x5xf32>
    %95 = tensor.empty() : tensor<4x2x5xf32>
    %96 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_52, %94 : tensor<4x2x5xf32>, tensor<4x2x5xf32>) outs(%95 : tensor<4x2x5xf32>) {
    ^bb0(%in: f32, %in_85: f32, %out: f32):
      %125 = arith.mulf %in, %in_85 : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x5xf32>
    %extracted_slice_53 = tensor.extract_slice %54#0[0, 0, 0] [4, 2, 10] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x10xf32>
    %extracted_slice_54 = tensor.extract_slice %54#0[0, 0, 10] [4, 2, 5] [1, 1, 1] : tensor<4x2x15xf32> to tensor<4x2x5xf32>
    %97 = tensor.empty() : tensor<15x8xf32>
    %98 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_47 : tensor<8x15xf32>) outs(%97 : tensor<15x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<15x8xf32>
    %99 = tensor.empty() : tensor<15x3xf32>
    %100 = linalg.fill ins(%cst : f32) outs(%99 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %101 = linalg.matmul ins(%98, %collapsed_40 : tensor<15x8xf32>, tensor<8x3xf32>) outs(%100 : tensor<15x3xf32>) -> tensor<15x3xf32>
    %collapsed_55 = tensor.collapse_shape %extracted_slice_53 [[0, 1], [2]] : tensor<4x2x10xf32> into tensor<8x10xf32>
    %collapsed_56 = tensor.collapse_shape %94 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %102 = tensor.empty() : tensor<10x8xf32>
    %103 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_55 : tensor<8x10xf32>) outs(%102 : tensor<10x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<10x8xf32>
    %104 = tensor.empty() : tensor<10x5xf32>
    %105 = linalg.fill ins(%cst : f32) outs(%104 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %106 = linalg.matmul ins(%103, %collapsed_56 : tensor<10x8xf32>, tensor<8x5xf32>) outs(%105 : tensor<10x5xf32>) -> tensor<10x5xf32>
    %collapsed_57 = tensor.collapse_shape %extracted_slice_54 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %collapsed_58 = tensor.collapse_shape %96 [[0, 1], [2]] : tensor<4x2x5xf32> into tensor<8x5xf32>
    %107 = tensor.empty() : tensor<5x8xf32>
    %108 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%collapsed_57 : tensor<8x5xf32>) outs(%107 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %109 = tensor.empty() : tensor<5x5xf32>
    %110 = linalg.fill ins(%cst : f32) outs(%109 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %111 = linalg.matmul ins(%108, %collapsed_58 : tensor<5x8xf32>, tensor<8x5xf32>) outs(%110 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %112 = tensor.empty() : tensor<15xf32>
    %113 = linalg.fill ins(%cst : f32) outs(%112 : tensor<15xf32>) -> tensor<15xf32>
    %114 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%collapsed_47 : tensor<8x15xf32>) outs(%113 : tensor<15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %125 = arith.addf %out, %in : f32
      linalg.yield %125 : f32
    } -> tensor<15xf32>
    %collapsed_59 = tensor.collapse_shape %65 [[0, 1]] : tensor<15x3xf32> into tensor<45xf32>
    %115 = flow.tensor.empty : tensor<300xf32>
    %inserted_slice_60 = tensor.insert_slice %collapsed_59 into %115[0] [45] [1] : tensor<45xf32> into tensor<300xf32>
    %collapsed_61 = tensor.collapse_shape %70 [[0, 1]] : tensor<10x5xf32> into tensor<50xf32>
    %inserted_slice_62 = tensor.insert_slice %collapsed_61 into %inserted_slice_60[90] [50] [1] : tensor<50xf32> into tensor<300xf32>
    %collapsed_63 = tensor.collapse_shape %75 [[0, 1]] : tensor<5x5xf32> into tensor<25xf32>
    %inserted_slice_64 = tensor.insert_slice %collapsed_63 into %inserted_slice_62[140] [25] [1] : tensor<25xf32> into tensor<300xf32>
    %inserted_slice_65 = tensor.insert_slice %78 into %inserted_slice_64[240] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %inserted_slice_66 = tensor.insert_slice %78 into %inserted_slice_65[255] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %collapsed_67 = tensor.collapse_shape %101 [[0, 1]] : tensor<15x3xf32> into tensor<45xf32>
    %inserted_slice_68 = tensor.insert_slice %collapsed_67 into %inserted_slice_66[45] [45] [1] : tensor<45xf32> into tensor<300xf32>
    %collapsed_69 = tensor.collapse_shape %106 [[0, 1]] : tensor<10x5xf32> into tensor<50xf32>
    %inserted_slice_70 = tensor.insert_slice %collapsed_69 into %inserted_slice_68[165] [50] [1] : tensor<50xf32> into tensor<300xf32>
    %collapsed_71 = tensor.collapse_shape %111 [[0, 1]] : tensor<5x5xf32> into tensor<25xf32>
    %inserted_slice_72 = tensor.insert_slice %collapsed_71 into %inserted_slice_70[215] [25] [1] : tensor<25xf32> into tensor<300xf32>
    %inserted_slice_73 = tensor.insert_slice %114 into %inserted_slice_72[270] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %inserted_slice_74 = tensor.insert_slice %114 into %inserted_slice_73[285] [15] [1] : tensor<15xf32> into tensor<300xf32>
    %extracted_slice_75 = tensor.extract_slice %inserted_slice_74[0] [90] [1] : tensor<300xf32> to tensor<90xf32>
    %expanded = tensor.expand_shape %extracted_slice_75 [[0, 1, 2]] output_shape [2, 15, 3] : tensor<90xf32> into tensor<2x15x3xf32>
    %extracted_slice_76 = tensor.extract_slice %inserted_slice_74[90] [150] [1] : tensor<300xf32> to tensor<150xf32>
    %expanded_77 = tensor.expand_shape %extracted_slice_76 [[0, 1, 2]] output_shape [2, 15, 5] : tensor<150xf32> into tensor<2x15x5xf32>
    %extracted_slice_78 = tensor.extract_slice %inserted_slice_74[240] [60] [1] : tensor<300xf32> to tensor<60xf32>
    %expanded_79 = tensor.expand_shape %extracted_slice_78 [[0, 1]] output_shape [2, 30] : tensor<60xf32> into tensor<2x30xf32>
    %116 = tensor.empty() : tensor<24xf32>
    %117 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = ["parallel"]} ins(%collapsed_34, %collapsed_48 : tensor<24xf32>, tensor<24xf32>) outs(%116 : tensor<24xf32>) {
    ^bb0(%in: f32, %in_85: f32, %out: f32):
      %125 = arith.addf %in, %in_85 : f32
      linalg.yield %125 : f32
    } -> tensor<24xf32>
    %expanded_80 = tensor.expand_shape %117 [[0, 1, 2]] output_shape [4, 2, 3] : tensor<24xf32> into tensor<4x2x3xf32>
    %118 = tensor.empty() : tensor<4x2x3xf32>
    %119 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %expanded_80 : tensor<4x2x3xi1>, tensor<4x2x3xf32>) outs(%118 : tensor<4x2x3xf32>) {
    ^bb0(%in: i1, %in_85: f32, %out: f32):
      %125 = arith.select %in, %in_85, %cst : f32
      linalg.yield %125 : f32
    } -> tensor<4x2x3xf32>
    %120 = tensor.empty() : tensor<2x5xf32>
    %121 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_23, %extracted_slice_24 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%120 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_85: f32, %out: f32):
      %125 = arith.addf %in, %in_85 : f32
      linalg.yield %125 : f32
    } -> tensor<2x5xf32>
    %122 = tensor.empty() : tensor<2x5xf32>
    %123 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_29, %extracted_slice_30 : tensor<2x5xf32>, tensor<2x5xf32>) outs(%122 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_85: f32, %out: f32):
      %125 = arith.addf %in, %in_85 : f32
      linalg.yield %125 : f32
    } -> tensor<2x5xf32>
    %expanded_81 = tensor.expand_shape %121 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %expanded_82 = tensor.expand_shape %123 [[0, 1], [2]] output_shape [1, 2, 5] : tensor<2x5xf32> into tensor<1x2x5xf32>
    %124 = tensor.empty() : tensor<2x2x5xf32>
    %inserted_slice_83 = tensor.insert_slice %expanded_81 into %124[0, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    %inserted_slice_84 = tensor.insert_slice %expanded_82 into %inserted_slice_83[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<1x2x5xf32> into tensor<2x2x5xf32>
    util.return %119, %expanded, %expanded_77, %expanded_79, %inserted_slice_84 : tensor<4x2x3xf32>, tensor<2x15x3xf32>, tensor<2x15x5xf32>, tensor<2x30xf32>, tensor<2x2x5xf32>
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
