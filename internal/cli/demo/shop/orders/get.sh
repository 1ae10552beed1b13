# get ID prints an order.
get() {
	grep "^$1 " "$here/orders/list.txt" | cut -d' ' -f2-
}
