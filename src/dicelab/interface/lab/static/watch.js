// Asks now and then whether the file behind this page was saved, and shows the page as it is then.
import { fill, follow } from "/static/follow.js";

const file = document.querySelector("meta[name=watched]");
const EVERY = 700;
let stamp = file.dataset.stamp, request = null;

async function look() {
  try {
    const now = document.hidden ? stamp : (await (await fetch(file.content)).json()).stamp;
    if (now !== stamp) {
      stamp = now;
      if (request) request.abort();  // which ends the work for what was saved before
      const { follows, edits } = document.getElementById("content").dataset;
      if (!follows) return location.reload();
      request = new AbortController();
      if (edits) document.dispatchEvent(new Event("changed"));  // the editor may hold what is not saved
      else follow(location.href, request.signal).then(() => fill(request.signal)).catch(() => {});
    }
  } catch {
    // the lab does not answer; it may be started again
  }
  setTimeout(look, EVERY);
}

setTimeout(look, EVERY);
