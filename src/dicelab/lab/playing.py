async def play(request): ...


review = review_json = play
