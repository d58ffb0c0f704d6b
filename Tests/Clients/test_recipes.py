"""The record store of recipes, which has to be enabled."""
import copy

import pytest
import requests

from conftest import KEY

PATH = "/api/app/recipes/save-community-recipe"
RECIPE = {
    "recipe": {"title": "Tomato soup", "description": "Simple", "servings": 4, "tags": ["soup"],
               "ingredients": [{"name": "tomato", "amount": "4", "unit": "piece", "preparation": "diced"}],
               "instructions": [{"step": 1, "text": "Cook the tomatoes."}]},
    "sourceType": "video", "sourcePlatform": "tiktok", "sourceUrl": "https://www.tiktok.com/@user/video/1",
    "sourceVideoId": "1", "userId": "user-1", "username": "Ann Example", "isPublic": True,
    "extractionMethod": "whisper_ai", "extractionConfidence": 0.95}


def save(server, body, key="token"):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return requests.post(server.url + PATH, json=body, headers=headers, timeout=10)


def test_a_recipe_is_saved_once_and_counted(videos):
    first, second = save(videos, RECIPE), save(videos, RECIPE)
    other = save(videos, RECIPE | {"sourceUrl": "https://www.tiktok.com/@user/video/2"})
    assert first.status_code == second.status_code == other.status_code == 200
    keys = ["success", "recipeId", "existed", "importCount", "message"]
    assert list(first.json()) == list(second.json()) == keys
    recipe = first.json()["recipeId"]
    assert type(recipe) is str and recipe
    assert first.json() == dict(zip(keys, [True, recipe, False, 1, "Recipe saved to community database"]))
    assert second.json() == dict(zip(keys, [True, recipe, True, 2,
                                            "Recipe already in database. Import count incremented."]))
    assert other.json()["recipeId"] != recipe and other.json()["existed"] is False


@pytest.mark.parametrize("name", ["recipe", "sourceType", "sourcePlatform", "sourceUrl", "sourceVideoId", "userId", "username",
                                  "recipe.title", "recipe.ingredients", "recipe.instructions"])
def test_required_fields(videos, name):
    body = copy.deepcopy(RECIPE)
    *path, last = name.split(".")
    del (body[path[0]] if path else body)[last]
    answer = save(videos, body)
    assert answer.status_code == 400 and answer.json()["error"] == "Missing required fields"


def test_refusals(videos, server, secured):
    assert save(server, RECIPE).status_code == 404, "disabled unless asked for"
    assert save(videos, RECIPE, key=None).json() == {"error": "No token provided"}
    assert save(secured, RECIPE, key=KEY).status_code == 404
    answer = requests.post(videos.url + PATH, data="{", headers={"Authorization": "Bearer x"}, timeout=10)
    assert answer.status_code in (400, 415)
