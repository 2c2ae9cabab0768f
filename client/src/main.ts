const view = document.getElementById("view");
if (view === null) throw new Error("the page has no #view");
