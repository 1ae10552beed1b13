./shop receipt | grep -q "tea, bread"
