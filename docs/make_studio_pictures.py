"""Draws docs/pictures/studio_*.png: the studio in Chromium. Needs the built page, playwright and chromium.

Run: python docs/make_studio_pictures.py
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

OUT = Path(__file__).parent / "pictures"
SONG = Path(__file__).parents[1] / "tests" / "cases" / "U081_tempo_in_other_track.mid"
FLAGS = ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
POSTURES = ("Stand", "Left arm out", "Crouch", "Raise right arm")


def shot(page, name):
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize((960, 600), Image.Resampling.LANCZOS)
    picture.quantize(96, dither=Image.Dither.NONE).save(OUT / f"studio_{name}.png", optimize=True)


def main():
    with tempfile.TemporaryDirectory() as place:
        words = [sys.executable, "-m", "gambol", "studio", "--no-browser", "--folder", place, "--port", "0"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        address = re.search(r"http\S+", process.stdout.readline()).group(0)
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        try:
            with sync_playwright() as driver:
                page = driver.chromium.launch(executable_path=chromium, args=FLAGS).new_page(
                    viewport={"width": 1440, "height": 900}
                )
                page.goto(address)
                time.sleep(5)
                page.evaluate("window.gambol.director.show.ghosts.value = true")
                page.evaluate("window.gambol.director.player.time.value = 2.2")
                page.evaluate("window.gambol.director.player.playing.value = false")
                time.sleep(2)
                shot(page, "go")
                page.get_by_role("button", name="Dance", exact=True).click()
                time.sleep(2)
                page.set_input_files("#drop", str(SONG))
                page.get_by_role("button", name="Postures").click()
                time.sleep(3)
                for name in POSTURES:
                    page.get_by_role("button", name=name, exact=True).click()
                    time.sleep(1)
                    page.get_by_role("button", name="Store posture").click()
                page.locator(".key").nth(1).click()
                page.evaluate("window.gambol.director.frame()")
                time.sleep(2)
                shot(page, "dance")
        finally:
            process.kill()


if __name__ == "__main__":
    main()
