// The book's games.

export const ways = [
  {
    name: "games of the book are found, paged and opened",
    both: true,
    async run(page, server) {
      await page.goto("/games");
      await page.has("#found-summary", "50 of 400 games");
      await page.picture("games");
      await page.click("#found-more");
      await page.has("#found-summary", "100 of 400 games");
      const some = await (await fetch(`${server.url}/api/v1/games?position=f5d6&result=black&limit=1`)).json();
      await page.type("#games-position", "f5d6");
      await page.page.select("#games-result", "black");
      await page.click("#find-games");
      await page.search("?result=black&position=f5d6");
      // Twice as many were shown before.
      await page.count("#found .game", Math.min(50, some.total));
      await page.until(`document.querySelector('#found-summary').innerText.includes("${some.total}")`);
      await page.has("#found .game b", "+");
      await page.click("#found .game");
      await page.until("document.querySelectorAll('#path .ply').length > 40");
      await page.page.goBack();
      await page.until("document.querySelectorAll('#found .game').length > 0");
      await page.search("?result=black&position=f5d6");
    },
  },
  {
    name: "a book without games says how it gets some",
    async run(page) {
      await page.page.evaluateOnNewDocument(() => {
        const fetched = window.fetch;
        const none = { games: [], total: 0, next: null, players: [] };
        window.fetch = async (address, ...rest) => (String(address).includes("/games") ? Response.json(none) : fetched(address, ...rest));
      });
      await page.goto("/games");
      await page.has("#found-summary", "emilia book build");
      await page.goto("/games?player=nobody");
      await page.has("#found-summary", "No such games");
    },
  },
  {
    name: "statistics are counted for some years and players",
    async run(page, server) {
      const [game] = (await (await fetch(`${server.url}/api/v1/games?limit=1`)).json()).games;
      const some = await (await fetch(`${server.url}/api/v1/position?player=${encodeURIComponent(game.black)}`)).json();
      await page.goto(`/games?player=${encodeURIComponent(game.black)}&years=${game.year}`);
      await page.has("#numbers", `${some.statistics.games} games`);
      await page.until("document.querySelectorAll('.next-moves tr').length > 0");
      await page.goto("/?moves=f5");
      await page.has(".total .games", "games");
      await page.click("#among summary");
      await page.type("#among-years", "1950");
      await page.press("Enter");
      await page.count(".total .games", 0);
      await page.type("#among-years", String(game.year));
      await page.press("Enter");
      await page.has(".total .games", "games");
    },
  },
];
