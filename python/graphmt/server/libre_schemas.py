"""The JSON of LibreTranslate's routes, for the OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphmt.server.schemas import Text

Language = Annotated[str, Field(min_length=1, max_length=40)]


class LibreTranslateIn(BaseModel):
    """A request to /translate, as JSON, as a form or in the query."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"q": "Er schläft.", "source": "de", "target": "en", "format": "text"}]}
    )

    q: Annotated[
        Text | Annotated[list[Text], Field(max_length=10_000)], Field(description="A text, or a list of texts.")
    ]
    source: Annotated[Language, Field(description="Code of the language, or auto.")]
    target: Language
    format: Literal["text", "html"] = "text"
    alternatives: Annotated[int, Field(ge=0, le=1000, description="Other translations of each text.")] = 0
    api_key: Annotated[str, Field(max_length=500)] = ""


class LibreDetectIn(BaseModel):
    """A request to /detect."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "Er schläft."}]})

    q: Text
    api_key: Annotated[str, Field(max_length=500)] = ""


class DetectionOut(BaseModel):
    """A language with its confidence in percent."""

    confidence: float
    language: str


class LibreTranslateOut(BaseModel):
    """The answer of /translate; lists for lists of texts."""

    translatedText: str | list[str]
    detectedLanguage: DetectionOut | list[DetectionOut] | None = None
    alternatives: list[str] | list[list[str]] | None = None


class LanguageOut(BaseModel):
    """A source language and the languages into which it can be translated."""

    code: str
    name: str
    targets: list[str]


class FileOut(BaseModel):
    """The answer of /translate_file."""

    translatedFileUrl: str


class SettingsOut(BaseModel):
    """The answer of /frontend/settings."""

    apiKeys: bool
    charLimit: int
    filesTranslation: bool
    frontendTimeout: int
    keyRequired: bool
    language: dict[str, Any]
    suggestions: bool
    supportedFilesFormat: list[str]
