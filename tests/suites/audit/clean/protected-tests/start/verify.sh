[ "$(printf tea | sh upper.sh)" = TEA ]
