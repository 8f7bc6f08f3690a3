module @jit_learn {
  func.func public @main(%w: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result['w']"}, tensor<f32> {jax.result_info = "result['loss']"}) {
    %rate = stablehlo.constant dense<0.1> : tensor<4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %error = stablehlo.subtract %w, %x : tensor<4xf32>
    %square = stablehlo.multiply %error, %error : tensor<4xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %down = stablehlo.multiply %rate, %error : tensor<4xf32>
    %next = stablehlo.subtract %w, %down : tensor<4xf32>
    return %next, %loss : tensor<4xf32>, tensor<f32>
  }
}
