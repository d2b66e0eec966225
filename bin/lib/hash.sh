# shellcheck shell=sh
# hash.sh - SHA-256 by whatever the machine has: GNU and busybox, perl's shasum, openssl.

# hash_files FILE… - a line each, in order: the digest, a blank, something about the file. Fails where there is none of them
hash_files() {
	if command -v sha256sum >/dev/null; then
		sha256sum -- "$@"
	elif command -v shasum >/dev/null; then
		shasum -a 256 -- "$@"
	elif command -v openssl >/dev/null; then
		openssl dgst -sha256 -r -- "$@"
	else
		return 69
	fi
}
