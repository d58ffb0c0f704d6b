// The page and the description of the API, so that the program needs no other file.
#include "CServerFiles.h"

#if __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const uint8_t index_html[] = {
#embed "page/index.html"
};
static const uint8_t page_css[] = {
#embed "page/page.css"
};
static const uint8_t icon_svg[] = {
#embed "page/icon.svg"
};
static const uint8_t api_js[] = {
#embed "page/api.js"
};
static const uint8_t app_js[] = {
#embed "page/app.js"
};
static const uint8_t captions_js[] = {
#embed "page/captions.js"
};
static const uint8_t capture_js[] = {
#embed "page/capture.js"
};
static const uint8_t choices_js[] = {
#embed "page/choices.js"
};
static const uint8_t dialogs_js[] = {
#embed "page/dialogs.js"
};
static const uint8_t docs_css[] = {
#embed "page/docs.css"
};
static const uint8_t docs_html[] = {
#embed "page/docs.html"
};
static const uint8_t docs_js[] = {
#embed "page/docs.js"
};
static const uint8_t exports_js[] = {
#embed "page/exports.js"
};
static const uint8_t list_js[] = {
#embed "page/list.js"
};
static const uint8_t live_js[] = {
#embed "page/live.js"
};
static const uint8_t menu_js[] = {
#embed "page/menu.js"
};
static const uint8_t microphone_js[] = {
#embed "page/microphone.js"
};
static const uint8_t player_js[] = {
#embed "page/player.js"
};
static const uint8_t recording_js[] = {
#embed "page/recording.js"
};
static const uint8_t resampler_js[] = {
#embed "page/resampler.js"
};
static const uint8_t screen_js[] = {
#embed "page/screen.js"
};
static const uint8_t search_box_js[] = {
#embed "page/search-box.js"
};
static const uint8_t search_js[] = {
#embed "page/search.js"
};
static const uint8_t store_js[] = {
#embed "page/store.js"
};
static const uint8_t transcript_js[] = {
#embed "page/transcript.js"
};
static const uint8_t upload_js[] = {
#embed "page/upload.js"
};
static const uint8_t view_js[] = {
#embed "page/view.js"
};
static const uint8_t wav_js[] = {
#embed "page/wav.js"
};
#if __has_embed("openapi.json")
static const uint8_t openapi_json[] = {
#embed "openapi.json"
};
#endif

static const sf_file files[] = {
    {"page/index.html", index_html, sizeof index_html},
    {"page/page.css", page_css, sizeof page_css},
    {"page/icon.svg", icon_svg, sizeof icon_svg},
    {"page/api.js", api_js, sizeof api_js},
    {"page/app.js", app_js, sizeof app_js},
    {"page/captions.js", captions_js, sizeof captions_js},
    {"page/capture.js", capture_js, sizeof capture_js},
    {"page/choices.js", choices_js, sizeof choices_js},
    {"page/dialogs.js", dialogs_js, sizeof dialogs_js},
    {"page/docs.css", docs_css, sizeof docs_css},
    {"page/docs.html", docs_html, sizeof docs_html},
    {"page/docs.js", docs_js, sizeof docs_js},
    {"page/exports.js", exports_js, sizeof exports_js},
    {"page/list.js", list_js, sizeof list_js},
    {"page/live.js", live_js, sizeof live_js},
    {"page/menu.js", menu_js, sizeof menu_js},
    {"page/microphone.js", microphone_js, sizeof microphone_js},
    {"page/player.js", player_js, sizeof player_js},
    {"page/recording.js", recording_js, sizeof recording_js},
    {"page/resampler.js", resampler_js, sizeof resampler_js},
    {"page/screen.js", screen_js, sizeof screen_js},
    {"page/search-box.js", search_box_js, sizeof search_box_js},
    {"page/search.js", search_js, sizeof search_js},
    {"page/store.js", store_js, sizeof store_js},
    {"page/transcript.js", transcript_js, sizeof transcript_js},
    {"page/upload.js", upload_js, sizeof upload_js},
    {"page/view.js", view_js, sizeof view_js},
    {"page/wav.js", wav_js, sizeof wav_js},
#if __has_embed("openapi.json")
    {"openapi.json", openapi_json, sizeof openapi_json},
#endif
};

const sf_file *sf_files(long *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
