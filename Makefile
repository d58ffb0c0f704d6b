# Common commands; each runs one script or one swift command.
.PHONY: build test quick lint format demo install library wheel package package-test soak clean

build:            ## build and install into ~/.local
	scripts/setup.sh

demo:             ## build, then transcribe a sample recording
	scripts/setup.sh --demo

test:             ## all checks that a change must pass
	scripts/test.sh

quick:            ## the fast tests, to run after each edit
	scripts/test.sh --quick

lint:             ## check formatting and house rules
	scripts/lint.sh

format:           ## format the code
	swift format --in-place --recursive Package.swift Plugins Sources Tests Examples

install:          ## build and install into PREFIX (default: /usr/local), with the library for other languages
	scripts/setup.sh --prefix $(or $(PREFIX),/usr/local)
	scripts/library.sh $(or $(PREFIX),/usr/local) || [ $$? = 69 ]  # Swift 6.2 cannot build it

library:          ## build the library for other languages into .build/library
	scripts/library.sh

wheel:            ## build the Python package into dist
	scripts/wheel.sh

package:          ## build a Debian package and a tarball in .build/packages
	scripts/package.sh

package-test:     ## install the packages into a minimal Debian and run the program there
	scripts/package-test.sh

soak:             ## slow manual checks: long recordings, memory over hours
	scripts/soak.sh

clean:            ## remove all build products
	rm -rf .build
