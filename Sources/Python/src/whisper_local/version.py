"""Version information."""

#: The version of the program that this package was built with.
__version__ = "0.1.0"
