// Panels that open below a button: they close when something else is clicked, with Escape, and once a choice is made.

const menus = [...document.querySelectorAll("details.menu")];

function close(menu) {
  if (!menu.open) return;
  const hadFocus = menu.contains(document.activeElement);
  menu.open = false;
  if (hadFocus) menu.querySelector("summary").focus();
}

addEventListener("click", ({ target }) => {
  for (const menu of menus) {
    if (!menu.contains(target) || target.closest("button")) close(menu);
  }
});
for (const menu of menus) {
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault();
    close(menu);
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
  });
}
