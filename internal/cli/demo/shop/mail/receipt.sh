# receipt prints the mail that goes out after a sale.
receipt() {
	echo "Thank you. Your $(basket)"
}
