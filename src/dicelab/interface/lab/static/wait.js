// Puts answers into their places once they are known. Leaving the page ends the requests, and with them the work.
import { fill } from "/static/follow.js";

fill().catch(() => {
  for (const place of document.querySelectorAll("[data-part] .working")) {
    place.outerHTML = '<p class="notice bad">The lab does not answer; is it still running?</p>';
  }
});
