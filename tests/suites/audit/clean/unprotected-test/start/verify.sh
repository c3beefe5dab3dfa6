[ "$(sh slug.sh 'My Post')" = my-post ]
