// Sets the theme before the first paint; "auto" leaves it to the system. Not a module: modules run too late.
(() => {
  const root = document.documentElement;
  const kept = () => {
    try {
      return localStorage.getItem("dicetower theme");
    } catch {
      return null; // storage can be forbidden; the system's theme stands
    }
  };
  const asked = new URLSearchParams(location.search).get("theme");
  const theme = asked ?? kept();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
})();
