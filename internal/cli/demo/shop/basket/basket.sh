# basket prints what is in the basket.
basket() {
	echo "basket: $(cat "$here/basket/items.txt")"
}
