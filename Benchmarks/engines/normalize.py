"""Removes differences between texts that do not count as errors: case, punctuation, and in English spelling and numbers.

Reads [[language, text], …] from standard input and writes the texts, in JSON, with openai-whisper's normalizers.
"""
import json
import sys

from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

english, basic = EnglishTextNormalizer(), BasicTextNormalizer()
json.dump([english(text) if language == "en" else basic(text) for language, text in json.load(sys.stdin)], sys.stdout)
