"""Words that have a meaning in a format, and are put where they do not belong."""

from __future__ import annotations


def _split(words: str) -> tuple[bytes, ...]:
    return tuple(word.encode() for word in words.split())


#: Written numbers at the limits of some type.
NUMBERS = (
    *_split("0 -1 1 -0.0 65535 65536 2147483647 2147483648 4294967295 4294967296 9223372036854775807"),
    *_split("18446744073709551615 18446744073709551616 99999999999999999999999999 1e308 1e309 -1e999 1e-400"),
    *_split("nan inf -inf NaN Infinity 0x10 1_000"),
    b"9" * 5000,
)
#: Words and characters that are troublesome anywhere: separators, broken UTF-8, marks of text direction.
WORDS = (
    *(b"", b"\0", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1f\x8b", b'"'),
    *(char.encode() for char in "\u2028\u00a0\u0085\ufeff\u202e\U0001f600"),
    *_split("%s - _ ||| </s> <s> <unk> null true [] {} \\"),
)
JSON = (*_split('{ } [ ] " null true NaN -Infinity 1e999 "\\ud800" {"a": , : : 2'), b'"report": 1', b'"format": 2')
TOML = _split("[ ] [[ = \"\"\" ''' inf nan 1979-05-27 {} true \\u0000 {a= # threads=-1 order=1e9 [search] [align]")
EXPERIMENT = (
    *TOML,
    *_split("[[arms]] [[claims]] name='' system='hpb' over='a' tuned_as='a' part='dev' test=[] rows=[[]]"),
)
CONLLU = (b"1-2\t", b"1.1\t", b"\t0\t", b"\t_", b"# newdoc", b"0\t", b"99999-100000\t")
_CHARSETS = tuple(
    b"charset=" + name for name in _split("utf-7 idna rot13 hex punycode unicode_escape utf-16 undefined")
)
TMX = (
    *_split("<tu> </tu> <tuv> <seg> </seg> <hi> <ph> &b; &#0; &#xD800; xmlns='x' srclang=\"\" <![CDATA["),
    *(b'<!DOCTYPE a [<!ENTITY b "c">]>', b'encoding="cp037"', b'encoding="utf-16"', b'encoding="gb18030"'),
)
XLIFF = (
    *_split("<segment> </segment> <trans-unit> </trans-unit> <source> <target> </target> <file> <ph> <mrk> <cp/> &#0;"),
    *(b'state="new"', b'srcLang="x"', b'source-language=""', b'<!DOCTYPE a [<!ENTITY b "c">]>', b'encoding="utf-16"'),
)
TBX = (
    *_split("<termEntry> </termEntry> <langSet> </langSet> <tig> <term> </term> <termNote> </termNote> <tbx> &#0;"),
    *(b'xml:lang="x"', b'xml:lang=""', b'<!DOCTYPE a [<!ENTITY b "c">]>', b'encoding="utf-16"'),
)
HTML = (
    *_split("<p> </p> <b> </b> <br/> <script> </script> <!-- --> <! <? <![CDATA[ ]]> &amp; &#0; &#xD800; <a href=' >"),
    *(b'translate="no"', b'<meta charset="utf-16">', b'class="notranslate"'),
)
ANDROID = (
    *_split(
        "<string> </string> <plurals> <item> </item> <resources> <xliff:g> <![CDATA[ ]]> <!-- --> <?a ?> &b; \\ud83d "
        "\\u12 \\' \" &#0; @string/a"
    ),
    *(b'quantity="few"', b'translatable="false"', b'<!DOCTYPE a [<!ENTITY b "c">]>', b'encoding="utf-16"'),
)
STRINGS = _split('/* */ // " \\" = ; \\U00e4 \\Ud800 %@ {a, plural, one {#} other {#}} {{ }} \'{ @meta')
PO = (*_split('msgid msgstr msgstr[0] msgstr[99] msgid_plural msgctxt #~ #| \\x \\777 "'), *_CHARSETS)
MO = (*_CHARSETS, b"\x04", b"\0")
LINKS = _split("0-0 65535-65535 65536-1 1- -1-0 0p0 0?0 1--1")
LEXICAL = (b"NULL", b" 0 ", b" 2.0", b" -1")
MOSES_LIST = (b" ||| ", b"||| |||", b"score= 1", b"gc1= 1", b"LM=", b"=", b":", b"1e400")
JSON_LIST = (*JSON, b'"candidates": []', b'"tokens": [[]]', b'"score": "x"', b'"sentence": 1e400')
MARIAN_LIST = (*MOSES_LIST, b"F0=", b"F0=-1", b"WordScores=", b"WordScores= nan", b" ||| 0-0 ||| ", "\u2581a".encode())
FAIRSEQ_LIST = (*(f"{letter}-{number}\t".encode() for letter in "STHDPAW" for number in (0, 1, 9)), b"@@ ", b"\t-1\t")
OPENNMT_LIST = (
    *_split("['a'] [\"a\"] [] [-1] '\\ud800' \\N{x} \\x"),
    b"SENT 1: ",
    b"PRED 2: ",
    b"PRED SCORE: ",
    b"BEST HYP:",
)
TSV_LIST = (b"\t", b"id\ttext\tscore\n", b"0\ta\t1\n", b"\tnan\n", b"source\t")
ARPA = (*_split("\\data\\ \\end\\ \\1-grams: \\2-grams: \\9-grams: <s> -99"), b"ngram 1=99999999999", b"ngram 7=1")
MOSES_TABLE = (b" ||| ", b"1 1 1", b"0 0 0 0", *_split("[X][X] [X] [A][B] 0-0 9-9 1e-400"))
DERIVATIONS = (*JSON, b'"kind": "glue"', b'"positions": [9]', b'"children": [0]', b"-1")
RERANKER = (*JSON, b'"mbr-bleu"', b'"struct-lp"')
SPANS = (b"\t", b"\t1\n", b"\t0\n", b"\t1e-320\n", b"\t\t")
WEIGHTS = (*TOML, b"lm = 1", b'"x"')
STEPS = (*JSON, b'"true"', b'"zh"')
#: Of the header of NumPy's arrays.
NPY = (
    *_split("'<f4' '<U8' '|O' '<u8' '>u4' '<c16' 'descr' 'shape' (0,) (1,) (2,2) (4294967296,) (-1,) () True False"),
    *(b"\x93NUMPY\x01\x00", b"\x93NUMPY\x03\x00"),
)
