printf '%s' "$1"
