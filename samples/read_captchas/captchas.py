"""Makes captchas in a style that the network has not seen: letters behind a grid.

    python captchas.py NAME COUNT SEED

writes NAME.images, COUNT images of 3 x 60 x 160 bytes in the order blue, green, red, and
NAME.labels, for each of them five bytes, its letters by their numbers in LETTERS.
"""

import sys

import numpy as np
from PIL import Image, ImageDraw, ImageFont

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EASY = [k for k, letter in enumerate(LETTERS) if letter not in "0OI"]
COUNT, WIDTH, HEIGHT = 5, 160, 60


def captcha(letters, random):
    """An image: turned letters of one colour, of which every third row and column is erased."""
    paper, ink = (tuple(random.integers(*of, 3).tolist()) for of in ((200, 256), (0, 140)))
    image = Image.new("RGB", (WIDTH, HEIGHT), paper)
    for number, letter in enumerate(letters):
        font = ImageFont.load_default(int(random.integers(28, 38)))
        shape = Image.new("L", (60, 60))
        ImageDraw.Draw(shape).text((30, 30), LETTERS[letter], 255, font, anchor="mm")
        shape = shape.rotate(random.uniform(-20, 20), Image.Resampling.BILINEAR)
        place = 30 * number - 10 + int(random.integers(-2, 3)), int(random.integers(-6, 7))
        image.paste(Image.new("RGB", shape.size, ink), place, shape)
    pixels = np.array(image)
    pixels[::3] = pixels[:, ::3] = paper
    return pixels


def main(name, count, seed):
    random = np.random.default_rng(int(seed))
    labels = random.choice(EASY, (int(count), COUNT)).astype(np.uint8)
    images = [captcha(row, random)[:, :, ::-1].transpose(2, 0, 1) for row in labels]
    np.array(images).tofile(f"{name}.images")
    labels.tofile(f"{name}.labels")


main(*sys.argv[1:])
