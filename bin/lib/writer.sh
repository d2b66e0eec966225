# shellcheck shell=sh
# shellcheck source-path=SCRIPTDIR/..
# writer.sh - everything a writer needs, sourced in one go.
. "${0%/*}/lib/base.sh"
. "${0%/*}/lib/hash.sh"
. "${0%/*}/lib/root.sh"
. "${0%/*}/lib/trust.sh"
. "${0%/*}/lib/lane.sh"
. "${0%/*}/lib/seal.sh"
. "${0%/*}/lib/lock.sh"
. "${0%/*}/lib/commit.sh"
. "${0%/*}/lib/append.sh"
. "${0%/*}/lib/text.sh"
. "${0%/*}/lib/redact.sh"
. "${0%/*}/lib/options.sh"
. "${0%/*}/lib/session.sh"
