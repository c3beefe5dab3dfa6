[ "$(printf 'b\na\n' | sh sort.sh | head -1)" = a ]
