//! Reads parallel files in chunks: source text, its trees, target text and word alignment, line by line.

use std::path::PathBuf;

use super::conllu::{MultiwordTokens, Reader as Trees};
use super::links::Link;
use super::pair::Pair;
use super::pharaoh::{check_range, parse_line};
use super::text::Lines;
use super::tokens::tokens;
use super::trees::{Column, Trees as ParsedTrees};
use crate::error::{Error, Result};
use crate::store::vocab::Interner;

/// The files of a training corpus. The texts are tokenised and cased as the model requires.
#[derive(Clone, Debug)]
pub struct Files {
    pub source: PathBuf,
    pub target: PathBuf,
    pub alignment: PathBuf,
    /// CoNLL-U of the source side; only its heads and parts of speech are used.
    pub trees: Option<PathBuf>,
}

pub struct PairReader {
    source: Lines,
    target: Lines,
    alignment: Lines,
    trees: Option<(Trees, PathBuf)>,
    words: Vec<u32>,
    links: Vec<Link>,
    /// Parts of speech, numbered in order of first appearance.
    pub tags: Interner,
}

impl PairReader {
    pub fn open(files: &Files) -> Result<Self> {
        let trees = match &files.trees {
            Some(path) => Some((Trees::open(path, MultiwordTokens::Surface)?, path.clone())),
            None => None,
        };
        Ok(PairReader {
            source: Lines::open(&files.source)?,
            target: Lines::open(&files.target)?,
            alignment: Lines::open(&files.alignment)?,
            trees,
            words: Vec::new(),
            links: Vec::new(),
            tags: Interner::default(),
        })
    }

    /// Reads at most `limit` further pairs; fewer only at the end of the corpus.
    pub fn read(&mut self, limit: usize, source: &mut Interner, target: &mut Interner) -> Result<Vec<Pair>> {
        let mut pairs = Vec::with_capacity(limit);
        while pairs.len() < limit {
            match self.read_pair(source, target)? {
                Some(pair) => pairs.push(pair),
                None => break,
            }
        }
        self.read_heads(&mut pairs, limit)?;
        Ok(pairs)
    }

    fn read_pair(&mut self, source: &mut Interner, target: &mut Interner) -> Result<Option<Pair>> {
        let mut pair = Pair::default();
        let number = self.source.number() + 1;
        let sides =
            [(&mut self.source, source, &mut pair.source), (&mut self.target, target, &mut pair.target)];
        let mut has_line = [false; 3];
        for (has_line, (lines, vocabulary, words)) in has_line.iter_mut().zip(sides) {
            if let Some(line) = lines.next_line()? {
                self.words.clear();
                for word in tokens(line) {
                    self.words.push(vocabulary.intern(word)?);
                }
                words.extend_from_slice(&self.words);
                *has_line = true;
            }
        }
        self.links.clear();
        if let Some(line) = self.alignment.next_line()? {
            let parsed = parse_line(line, false, &mut self.links);
            parsed.map_err(|error| error.at(self.alignment.path(), Some(number)))?;
            has_line[2] = true;
        }
        let paths = [&self.source, &self.target, &self.alignment].map(Lines::path);
        let path = |has: bool| has_line.iter().position(|&has_line| has_line == has).map(|side| paths[side]);
        let Some(longer) = path(true) else { return Ok(None) };
        if let Some(short) = path(false) {
            let message = format!("{} lines, but {} has more.", number - 1, longer.display());
            return Err(Error::input(message)
                .at(short, None)
                .hint("The files of a corpus must be parallel, line by line."));
        }
        check_range(&self.links, pair.source.len() as u32, pair.target.len() as u32)
            .map_err(|error| error.at(self.alignment.path(), Some(number)))?;
        pair.points.extend(self.links.iter().map(|link| (link.source, link.target)));
        Ok(Some(pair))
    }

    fn read_heads(&mut self, pairs: &mut [Pair], limit: usize) -> Result<()> {
        let before = self.source.number() - pairs.len() as u64;
        let Some((reader, path)) = &mut self.trees else { return Ok(()) };
        let trees = reader.read(limit)?;
        if trees.len() != pairs.len() {
            let (fewer, more) = if trees.len() < pairs.len() {
                (path.as_path(), self.source.path())
            } else {
                (self.source.path(), path.as_path())
            };
            let n = before + trees.len().min(pairs.len()) as u64;
            let message = format!("{n} sentences, but {} has more.", more.display());
            return Err(Error::input(message)
                .at(fewer, None)
                .hint("There must be one tree for each line of text."));
        }
        for (k, pair) in pairs.iter_mut().enumerate() {
            let heads = trees.heads_of(k);
            if heads.len() != pair.source.len() {
                let message = format!(
                    "tree {} has {} words, the source text has {}.",
                    before + k as u64 + 1,
                    heads.len(),
                    pair.source.len()
                );
                return Err(Error::input(message)
                    .at(path, None)
                    .hint("Trees and text must have the same tokens."));
            }
            attach_tree(pair, &trees, k, &mut self.tags)?;
        }
        Ok(())
    }
}

/// Gives a pair the heads and parts of speech of a tree with as many words.
pub fn attach_tree(pair: &mut Pair, trees: &ParsedTrees, sentence: usize, tags: &mut Interner) -> Result<()> {
    pair.heads = trees.heads_of(sentence).to_vec();
    let names = trees.column(sentence, Column::Upos);
    pair.tags = names.map(|tag| tags.intern(tag)).collect::<Result<_>>()?;
    Ok(())
}
