# Everyday commands; each is one line of scripts/ or swift.
.PHONY: build test quick lint format demo install package package-test soak clean

build:            ## release build
	scripts/setup.sh

demo:             ## build, then write down a recording
	scripts/setup.sh --demo

test:             ## everything a change must pass
	scripts/test.sh

quick:            ## the tests alone
	scripts/test.sh --quick

lint:             ## format and house rules
	scripts/lint.sh

format:           ## put the code into its form
	swift format --in-place --recursive Package.swift Plugins Sources Tests

install:          ## PREFIX=/usr/local
	scripts/setup.sh --prefix $(or $(PREFIX),/usr/local)

package:          ## Debian package and tarball, in .build/packages
	scripts/package.sh

package-test:     ## install the packages into a minimal Debian and run the program there
	scripts/package-test.sh

soak:             ## slow checks, by hand: long recordings, memory over hours
	scripts/soak.sh

clean:            ## remove what was built
	rm -rf .build
