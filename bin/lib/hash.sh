# shellcheck shell=sh
# hash.sh - SHA-256 by whatever the machine has: GNU and busybox, perl's shasum, openssl.

# hash_files FILE… - a line each, in order: the digest, a blank, something about the file
hash_files() {
	if command -v sha256sum >/dev/null; then
		sha256sum -- "$@"
	elif command -v shasum >/dev/null; then
		shasum -a 256 -- "$@"
	else
		openssl dgst -sha256 -r -- "$@"
	fi
}
