# make            build everything for use, in build/
# make denoise    install what is needed, build, render the sample scene and denoise it
# make test       install what is needed, build and run every test
# make install    PREFIX=/usr/local, DESTDIR=
# make bench      build the benches too and say how they are run
# make format     format the C files
# make clean      remove what was built, but not what was fetched; distclean removes that, too
PREFIX = /usr/local
DESTDIR =

.PHONY: all denoise test install bench format clean distclean

all: build/build.ninja
	cmake --build build

# The tests' libraries need not be there.
build/build.ninja:
	cmake --log-level=NOTICE -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DREPRISE_TESTS=OFF

denoise:
	scripts/setup.sh denoise
	@$(MAKE) --silent --no-print-directory build/build.ninja
	cmake --build build --target reprise pathtracer sample_report
	scripts/sample.sh

test:
	scripts/setup.sh test
	scripts/test.sh

# Paths under PREFIX are compiled in, so another PREFIX builds again.
install: build/build.ninja
	cmake --log-level=NOTICE -S . -B build -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build build
	DESTDIR=$(DESTDIR) cmake --install build

bench: build/build.ninja
	cmake --log-level=NOTICE -S . -B build -DREPRISE_BENCH=ON
	cmake --build build
	@scripts/bench-list.sh

format:
	scripts/format.sh

clean:
	[ ! -d build ] || find build -mindepth 1 -maxdepth 1 ! -name downloads ! -name weights ! -name webgpu ! -name mesa \
		-exec rm -rf {} +

distclean:
	rm -rf build
