"""What the name of a joint says: its side, and which parts of a body it could be.

Covered are the words of Mixamo, Unreal, Rigify and Blender, VRoid, CMU (ASF and both BVH conversions), LAFAN, Xsens,
Perception Neuron, Daz, 3ds Max Biped, SMPL, Unity, Source and Japanese MMD rigs. A word that means different parts
in different rigs (``hip``, ``leg``, ``shoulder``, ``foot``) gives a share to each; the tree decides.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

__all__ = ["FINGERS", "Reading", "read_name"]

FINGERS = ("thumb", "index", "middle", "ring", "little")


class Reading(NamedTuple):
    """What a name says.

    Attributes:
        side: 1 left, -1 right, 0 neither.
        parts: part of the body -> share 0..1. Parts are VRM humanoid names without a side, ``spine`` for any joint of
            the trunk, and the five fingers.
        number: the last number in the name, or -1.
        helper: a twist, control, end or target joint, which carries no part by itself.
    """

    side: int
    parts: dict[str, float]
    number: int
    helper: bool


_SIDES = {
    "l": 1, "left": 1, "lft": 1, "lt": 1, "lf": 1, "r": -1, "right": -1, "rgt": -1, "rt": -1, "ri": -1,
}  # fmt: skip
# Words that say nothing about the part, and words of joints that are no part of the body's chain.
_NOISE_TEXT = """
mixamorig mixamo bip biped valve def org j b c jnt joint bone bn sk rig cc base character armature skeleton human node
model unit bend f m avg g part deform skin skel actor jt s
"""
_HELPER_TEXT = """
twist twst roll ik fk pole target tgt ctrl control ctl mch end nub effector helper tweak sec adj aim prop weapon null
locator site endsite top goal vector socket attach hair skirt bust breast cape cloth tail ear hold slot corrective
stretch share dummy parent
"""
# Share, part: words. A word of several parts stands in several rows.
_WORD_TEXT = """
1.00 hips: hips pelvis
0.50 hips: cog lowerbody centerofmass
0.30 hips: root center centre waist groove body
1.00 spine: spine spinelower spinemid spineupper spinemiddle abdomen torso back thorax belly stomach upperbody
1.00 spine: lowerback upperback ribs ribcage trunk abdomenlower abdomenupper lowerspine upperspine midspine lumbar
1.00 spine: thoracic chest upperchest chestupper chestlower lowerchest sternum
1.00 neck: neck necklower neckupper lowerneck upperneck cervical
1.00 head: head skull
1.00 jaw: jaw
1.00 eye: eye eyeball
1.00 shoulder: clavicle collar collarbone clav scapula clavicula
0.70 shoulder: shoulder
0.60 upper_arm: shoulder
1.00 upper_arm: upperarm uparm shldr humerus bicep biceps armupper
0.75 upper_arm: arm
0.10 lower_arm: arm
1.00 lower_arm: forearm lowerarm loarm lowarm elbow radius ulna armlower
1.00 hand: wrist
0.85 hand: hand
0.40 hand: palm
1.00 upper_leg: upleg upperleg thigh femur legupper hipjoint
0.75 upper_leg: hip
0.50 upper_leg: leg
0.55 lower_leg: leg
1.00 lower_leg: knee shin calf lowerleg loleg lowleg tibia leglower shank
1.00 foot: ankle talus
0.85 foot: foot
0.30 toes: foot
1.00 toes: toe toes ball bigtoe toesbase
0.40 toes: metatarsals
"""


def _table(text: str) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for line in text.strip().splitlines():
        head, words = line.split(":")
        share, part = head.split()
        for word in words.split():
            out.setdefault(word, {})[part] = float(share)
    return out


_NOISE, _HELPERS, _WORDS = frozenset(_NOISE_TEXT.split()), frozenset(_HELPER_TEXT.split()), _table(_WORD_TEXT)
_FINGER_WORDS = {
    "thumb": "thumb", "index": "index", "pointer": "index", "point": "index", "forefinger": "index",
    "middle": "middle", "mid": "middle", "ring": "ring", "pinky": "little", "pinkie": "little", "little": "little",
    "small": "little", "pink": "little",
}  # fmt: skip
# Japanese (MMD), longest first. 左足 is the thigh, 足首 the ankle.
_JAPANESE: tuple[tuple[str, dict[str, float]], ...] = (
    ("親指", {"thumb": 1.0}), ("人差指", {"index": 1.0}), ("人差し指", {"index": 1.0}), ("人指", {"index": 1.0}),
    ("中指", {"middle": 1.0}), ("薬指", {"ring": 1.0}), ("小指", {"little": 1.0}),
    ("上半身", {"spine": 1.0}), ("下半身", {"hips": 0.5}), ("センター", {"hips": 0.4}), ("グルーブ", {"hips": 0.4}),
    ("腰", {"hips": 0.4}), ("首", {"neck": 1.0}), ("頭", {"head": 1.0}), ("目", {"eye": 1.0}),
    ("肩", {"shoulder": 1.0}), ("ひじ", {"lower_arm": 1.0}), ("肘", {"lower_arm": 1.0}), ("手首", {"hand": 1.0}),
    ("腕", {"upper_arm": 1.0}), ("ひざ", {"lower_leg": 1.0}), ("膝", {"lower_leg": 1.0}), ("足首", {"foot": 1.0}),
    ("つま先", {"toes": 1.0}), ("爪先", {"toes": 1.0}), ("足先", {"toes": 1.0}), ("足", {"upper_leg": 1.0}),
)  # fmt: skip
_JAPANESE_HELPERS = ("IK", "捩", "ダミー", "先EX", "D", "親", "髪", "スカート", "操作", "キャンセル", "C", "P")
_TOKENS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@lru_cache(maxsize=4096)
def read_name(name: str) -> Reading:
    """What the name of a joint says; nothing where it says nothing."""
    text = unicodedata.normalize("NFKC", name)
    text = re.split(r"[:|]", text.rstrip(":|"))[-1]
    if any("\u3040" <= c <= "\u30ff" or "\u4e00" <= c <= "\u9fff" for c in text):
        return _japanese(text)
    tokens = [t.lower() for t in _TOKENS.findall(text)]
    numbers = [t for t in tokens if t.isdigit()]
    number = int(numbers[-1][:4]) if numbers else -1
    words = [t for t in tokens if not t.isdigit()]
    side, kept = _sided(words)
    helper = any(w in _HELPERS for w in kept)
    kept = [w for w in kept if w not in _NOISE and w not in _HELPERS]
    finger = _finger(kept, numbers, tokens)
    if finger is not None:
        return Reading(side, {finger[0]: 1.0}, finger[1] if finger[1] >= 0 else number, helper)
    parts = _parts(kept)
    if not side and not parts:
        side, parts = _glued(kept)
    if not side and "".join(kept) == "hip":  # one of two hips has a side
        parts = {"hips": 0.9}
    return Reading(side, dict(parts), number, helper)


def _sided(words: list[str]) -> tuple[int, list[str]]:
    sides = [w for w in words if w in _SIDES]
    side = _SIDES[sides[0]] if sides else 0
    return side, [w for w in words if w not in _SIDES]


def _parts(words: list[str]) -> dict[str, float]:
    """Parts of the longest known word made of neighbouring tokens."""
    for size in range(len(words), 0, -1):
        for start in range(len(words) - size + 1):
            word = "".join(words[start : start + size])
            for form in (word, word.removesuffix("s")):
                if _WORDS.get(form):
                    return _WORDS[form]
    return {}


def _glued(words: list[str]) -> tuple[int, dict[str, float]]:
    """``lfemur``, ``rHand`` in small letters, ``left...`` and ``...left`` in one word."""
    word = "".join(words)
    for mark, side in (("left", 1), ("right", -1), ("l", 1), ("r", -1)):
        for rest in (word.removeprefix(mark), word.removesuffix(mark)):
            if rest == word:
                continue
            if rest in _FINGER_WORDS:
                return side, {_FINGER_WORDS[rest]: 1.0}
            if found := _WORDS.get(rest) or _WORDS.get(rest.removesuffix("s")):
                return side, found
    return 0, {}


def _finger(words: list[str], numbers: list[str], tokens: list[str]) -> tuple[str, int] | None:
    """The finger and the number of its joint. 3ds Max Biped says Finger0, Finger01, Finger02 for the thumb."""
    rest = [w for w in words if w not in ("hand", "finger", "fingers", "in")]
    for word in rest:
        bare = word.removesuffix("finger")
        if bare in _FINGER_WORDS and not {"toe", "toes", "foot"} & set(words) and len(rest) <= 2:
            if bare in ("middle", "mid", "ring", "index", "small", "point", "little") and len(rest) == 2:
                other = next(w for w in rest if w != word)
                if other in _WORDS:  # "spine middle"
                    return None
            return _FINGER_WORDS[bare], -1
    if "finger" in words and numbers and tokens[-1].isdigit() and len(rest) == 0:
        digits = tokens[-1]
        which = int(digits[0])
        if which < len(FINGERS) and len(digits) <= 2:
            return FINGERS[which], int(digits[1]) if len(digits) == 2 else 0
    return None


def _japanese(text: str) -> Reading:
    side = 1 if "左" in text else -1 if "右" in text else 0
    bare = text.replace("左", "").replace("右", "")
    digits = re.findall(r"\d+", bare)
    helper = any(mark in bare for mark in _JAPANESE_HELPERS) and not bare.startswith("親指")
    helper |= bare.endswith("先") and bare not in ("つま先", "爪先", "足先")
    for word, parts in _JAPANESE:
        if bare.startswith(word):
            return Reading(side, dict(parts), int(digits[-1][:4]) if digits else -1, helper)
    return Reading(side, {}, -1, helper)
