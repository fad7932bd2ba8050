"""Gets positions with the client that was generated into this folder, and the same without it."""

import json
import sys
import urllib.request

from emilia_client import Client
from emilia_client.api.book import position

address = sys.argv[1]
with Client(base_url=address) as client:
    for moves in ["", "f5", "f5d6c3", "f5f6e6f4g5"]:
        with urllib.request.urlopen(f"{address}/api/v1/position?moves={moves}") as answer:
            expected = json.load(answer)
        found = position.sync(client=client, moves=moves)
        if found is None or found.to_dict() != expected:
            sys.exit(f"the generated client reads the position after {moves!r} otherwise: {found}")
        print(f"a generated client reads the position after {moves or 'no move'}: best is {found.best}")
