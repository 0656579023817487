"""A catalogue with everything that gettext knows, written by hand."""

CATALOGUE = r"""# Translators' notes.
#
msgid ""
msgstr ""
"Project-Id-Version: demo 1.0\n"
"Language: \n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\n"

#. Extracted comment
#: src/main.c:10 src/main.c:20
msgid "Open File"
msgstr ""

# A translator's comment.
#, c-format
msgid "Could not open %s."
msgstr   ""

#, python-format, fuzzy
#| msgid "Old"
msgid "Save the changes?"
msgstr "Veraltet"

#| msgid "Previous text"
msgctxt "menu|file"
msgid "Save the changes?"
msgstr ""

msgid "Delete %s?"
msgstr "%s wirklich entfernen?"

#, c-format
msgid "One file was deleted."
msgid_plural "%d files were deleted."
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"
msgstr[2] ""

msgid ""
"Click <b>Export</b> to save the file.\n"
"\n"
"  Read the <a href=\"https://example.org/?a=1&amp;b=2\">manual</a> first.\n"
msgstr ""
""

msgid "{n, plural, one {One file was deleted.} other {# files were deleted.}}"
msgstr ""

msgid "%d / %d"
msgstr ""

msgid "Zażółć „%s” \ttab\\n"
msgstr ""

#~ msgid "Obsolete"
#~ msgstr "Veraltet"

#, c-format
#~ msgid "Obsolete %d"
#~ msgstr ""
"""

#: The lines that a translation may add or change, by their start.
CHANGED = ("msgstr", '"', "#, fuzzy")
