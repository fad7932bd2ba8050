// The book as it is, and as it grows.

export const ways = [
  {
    name: "files are learned with the token, and the book is shown as it is then",
    writable: true,
    both: true,
    async run(page, { token, folder }) {
      await page.goto("/grow");
      await page.type("#token", token);
      await page.press("Enter");
      await page.upload("#learn-file", `${folder}/club-${page.kind}.ggf`);
      await page.has("#jobs", "25 games learned");
      await page.until("document.querySelectorAll('.columns rect').length > 0");
      await page.count("#pictures figure", 3);
      await page.count("#pictures figure:nth-child(2) rect", 16);
      await page.until("document.querySelectorAll('#gaps li').length > 0");
      await page.picture("grow");
      // The book has these games by their players' names, so it learns none: WTHOR's tables were used.
      await page.upload("#learn-file", `${folder}/sample.wtb`, `${folder}/sample.jou`, `${folder}/sample.trn`);
      await page.has("#jobs", "learn sample.ggf");
      // It then searches what is not searched yet, which nobody has to wait for.
      await page.until("/0 games learned/.test(document.querySelector('#jobs').innerText) || (/searching/.test(document.querySelector('.job.running')?.innerText) && document.querySelector('.job.running [data-stop]').click())");
      await page.click("#gaps button");
      await page.until("/^([a-h][1-8])*$/.test(document.querySelector('#expand-from').value) && document.activeElement.id === 'expand-from'");
    },
  },
  {
    name: "a job is started, shown on a tree, stopped and resumed",
    writable: true,
    async run(page, { token }) {
      await page.goto("/grow");
      await page.type("#token", token);
      await page.press("Enter");
      await page.type("#expand-from", "f5d6");
      await page.type("#expand-many", "1000000");
      await page.click("#expand");
      await page.until("document.querySelectorAll('#searching .leaf').length > 0");
      await page.picture("grow-searching");
      await page.click(".job.running [data-stop]");
      await page.until("document.querySelector('.job.stopped [data-resume]')");
      await page.click(".job.stopped [data-resume]");
      await page.until("document.querySelector('.job.running [data-stop]')");
      await page.click(".job.running [data-stop]");
      await page.until("!document.querySelector('.job.running')");
    },
  },
  {
    name: "the machines of a cluster are shown",
    writable: true,
    async run(page, { token }) {
      await page.page.evaluateOnNewDocument(() => {
        const fetched = window.fetch;
        const worker = { name: "attic", alive: true, threads: 8, answered: 1234, rate: 56.7, silent: 0 };
        const cluster = { workers: [worker, { ...worker, name: "cellar", alive: false, silent: 90 }], books: [], queue: { waiting: 3, in_flight: 2 }, quarantined: [], dead: [] };
        window.fetch = async (address, ...rest) => {
          if (String(address).includes("/cluster")) return Response.json(cluster);
          const answer = await fetched(address, ...rest);
          return String(address).includes("/stats") ? Response.json({ ...(await answer.json()), cluster: true }) : answer;
        };
      });
      await page.goto("/grow");
      await page.type("#token", token);
      await page.press("Enter");
      await page.has("#machines", "attic");
      await page.has("#machines", "gone for 90 s");
      await page.has("#machines", "3 parcels wait, 2 are being worked on");
    },
  },
  {
    name: "the stream of jobs is taken up again when it breaks off",
    writable: true,
    complains: true,
    async run(page, { token, url }) {
      await page.goto("/grow");
      await page.type("#token", token);
      await page.press("Enter");
      await page.until("document.querySelector('#jobs')");
      await page.page.setOfflineMode(true);
      await page.until("!navigator.onLine");
      await new Promise((resolve) => setTimeout(resolve, 500));
      await page.page.setOfflineMode(false);
      const before = await page.run("document.querySelectorAll('#jobs .job').length");
      await fetch(`${url}/api/v1/expand`, { method: "POST", body: JSON.stringify({ positions: 1, level: 1 }), headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } });
      await page.until(`document.querySelectorAll('#jobs .job').length === ${before + 1}`);
      await page.goto("/grow");
      await page.run(() => {
        const fetched = window.fetch;
        window.asked = 0;
        window.fetch = (address, ...rest) => {
          if (!String(address).includes("jobs/events")) return fetched(address, ...rest);
          window.asked += 1;
          return Promise.reject(new TypeError("the line is dead"));
        };
      });
      await page.click("nav [data-view=play]");
      await page.click("nav [data-view=grow]");
      await page.until("asked >= 2");
    },
  },
];
