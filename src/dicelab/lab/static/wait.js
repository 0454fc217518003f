// Puts answers into their places once they are known. Leaving the page ends the requests, and with them the work.
for (const place of document.querySelectorAll("[data-part]")) {
  fetch(place.dataset.part).then((response) => response.text()).then((html) => { place.innerHTML = html; })
    .catch(() => { place.innerHTML = '<p class="notice bad">The lab does not answer; is it still running?</p>'; });
}
