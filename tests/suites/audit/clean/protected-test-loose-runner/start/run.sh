while read a b c; do [ "$(sh add.sh $a $b)" = $c ] || exit 1; done < cases.txt
