"""Writes a recording to try the detector with: a second of noise, two of a voice, noise again.

    python voice.py recording.wav

The voice is made as speech is: pulses at its pitch, through resonances that move from one vowel to
the next.
"""

import sys
import wave

import numpy as np

RATE = 16000
VOWELS = ((700, 1200, 2500), (300, 2200, 2900), (400, 800, 2400), (500, 1700, 2500))
WIDTHS = (90, 110, 170)
SYLLABLES = 3.7  # a second


def voice(seconds: float, rng: np.random.Generator) -> np.ndarray:
    t = np.arange(int(seconds * RATE)) / RATE
    pitch = 120 + 25 * np.sin(2 * np.pi * 1.3 * t) + 5 * np.sin(2 * np.pi * 5.5 * t)
    x = np.diff(np.floor(np.cumsum(pitch / RATE)), prepend=0) + 0.01 * rng.standard_normal(len(t))
    for number, width in enumerate(WIDTHS):
        x = resonance(x, [vowel[number] for vowel in VOWELS], width)
    x *= np.sqrt(np.clip(np.sin(2 * np.pi * SYLLABLES * t), 0, None))
    return 0.5 * x / np.abs(x).max()


def resonance(x: np.ndarray, frequencies: list[int], width: float) -> np.ndarray:
    y = np.zeros(len(x) + 2)
    r = np.exp(-np.pi * width / RATE)
    for k, value in enumerate(x):
        frequency = frequencies[int(k / RATE * SYLLABLES) % len(frequencies)]
        y[k + 2] = value + 2 * r * np.cos(2 * np.pi * frequency / RATE) * y[k + 1] - r * r * y[k]
    return y[2:]


def main(path: str) -> None:
    rng = np.random.default_rng(1)
    noise = [0.002 * rng.standard_normal(int(seconds * RATE)) for seconds in (1, 1.5)]
    samples = np.concatenate([noise[0], voice(2, rng), noise[1]])
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((32767 * samples).astype("<i2").tobytes())


if __name__ == "__main__":
    main(sys.argv[1])
