// Puts the chosen theme on <html> before anything is painted. Runs alone, before
// the stylesheet: no other script may be needed for the first paint. The app
// writes the choice under the same key; "system", or nothing, means no attribute.
(() => {
  "use strict";
  try {
    const theme = localStorage.getItem("elowen.theme");
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // Storage may be forbidden; the system's theme is right then.
  }
})();
