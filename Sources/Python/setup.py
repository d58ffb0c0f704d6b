"""Tags the wheel: it has a library for one platform, and no code for one version of Python."""
from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=Binary, cmdclass={"bdist_wheel": Wheel})
