"""Traces of an accelerometer on a wrist, made up: four gestures by people who move differently.

A trace is 32 samples at 25 Hz along three axes, in units of gravity. People differ in the strength
and tempo of their movements and in how they wear the band, which turns the axes. So do traces of
one person a little, and in when they begin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STEPS, RATE = 32, 25.0
GESTURES = ("shake", "circle", "raise", "knock")


@dataclass(frozen=True)
class Person:
    """How somebody moves.

    Attributes:
        amplitude: The strength of movements; 1 is usual.
        tempo: Their speed; 1 is usual.
        turn: How the band lies on the wrist: degrees around the axes x, y and z.
    """

    amplitude: float
    tempo: float
    turn: tuple[float, float, float]


FIRST = Person(amplitude=1.0, tempo=1.0, turn=(0, 0, 0))
OWNER = Person(amplitude=0.6, tempo=0.75, turn=(35, 10, -35))


def rotation(degrees: np.ndarray) -> np.ndarray:
    """The matrix [3, 3] that turns around x, then y, then z."""
    (a, b, c), (d, e, f) = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    x = np.array([[1, 0, 0], [0, a, -d], [0, d, a]])
    y = np.array([[b, 0, e], [0, 1, 0], [-e, 0, b]])
    z = np.array([[c, -f, 0], [f, c, 0], [0, 0, 1]])
    return z @ y @ x


def motion(gesture: str, t: np.ndarray) -> np.ndarray:
    """The acceleration [steps, 3] of a gesture that begins at 0 s, gravity included."""
    x, y, z = np.zeros((3, t.size))
    during = (t > 0) & (t < 0.9)
    if gesture == "shake":
        x = 1.2 * during * np.sin(2 * np.pi * 3.5 * t)
    elif gesture == "circle":
        x = 0.8 * during * np.sin(2 * np.pi * 1.4 * t)
        y = 0.8 * during * np.cos(2 * np.pi * 1.4 * t)
    elif gesture == "raise":
        x = 0.9 * np.exp(-(((t - 0.4) / 0.18) ** 2))
        y = 0.9 / (1 + np.exp(-(t - 0.4) / 0.08))
    elif gesture == "knock":
        z = 1.5 * sum(np.exp(-(((t - at) / 0.04) ** 2)) for at in (0.15, 0.45))
    return np.stack([x, y, z], 1)


def trace(person: Person, gesture: str, rng: np.random.Generator) -> np.ndarray:
    """A trace [32, 3]; each is different."""
    tempo = person.tempo * rng.normal(1, 0.08)
    t = (np.arange(STEPS) / RATE - rng.uniform(0.05, 0.25)) * tempo
    moved = person.amplitude * rng.normal(1, 0.12) * motion(gesture, t) + np.array([0, 0, 1.0])
    turned = moved @ rotation(np.array(person.turn) + rng.normal(0, 8, 3)).T
    return (turned + rng.normal(0, 0.06, turned.shape)).astype(np.float32)


def traces(person: Person, each: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Traces [4 * each, 32, 3], gesture after gesture, again and again, and their numbers."""
    labels = np.tile(np.arange(len(GESTURES), dtype=np.int32), each)
    return np.stack([trace(person, GESTURES[label], rng) for label in labels]), labels
