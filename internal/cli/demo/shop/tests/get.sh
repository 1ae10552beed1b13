[ "$(./shop get 2)" = bread ]
