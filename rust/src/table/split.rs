//! A table divided into several files, or joined again.

use std::path::Path;

use super::build::Builder;
use super::filter::copied;
use super::read::Table;
use crate::error::Result;
use crate::rule::bytes::Rule;
use crate::work::interrupt;

/// Writes the same table in parts that end after so many bytes of rules; returns the number of parts.
///
/// A part ends where the first symbol of the source sides changes, so there are at most as many as symbols.
pub fn split(table: &Table, limit: u64, out: &Path) -> Result<usize> {
    let mut builder = Builder::with_limit(out, *table.settings(), limit)?;
    let (mut failed, mut rules): (_, Vec<Rule>) = (None, Vec::new());
    table.source_sides(|source, node| {
        interrupt::point();
        rules.clear();
        table.rules(node, |rule| rules.push(rule.clone()));
        failed = builder.add(source, &rules).err();
        failed.is_none()
    });
    if let Some(error) = failed {
        return Err(error);
    }
    table.check()?;
    builder.finish(table.meta(), &copied(table.source_words())?, &copied(table.target_words())?)?;
    Ok(Table::open(out)?.number_of_parts())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::record::Identity;
    use crate::store::vocab::Interner;
    use crate::table::TableSettings;

    type Side = Vec<(u32, u16)>;

    fn rules(table: &Table) -> Vec<(Side, Vec<Rule>)> {
        let mut all = Vec::new();
        table.source_sides(|side, node| {
            let mut rules = Vec::new();
            table.rules(node, |rule| rules.push(rule.clone()));
            all.push((side.to_vec(), rules));
            true
        });
        all
    }

    /// Source sides of one to three words that begin with 7 of 9 words.
    fn written(path: &Path) {
        let mut words = Interner::default();
        (0..9).for_each(|n| drop(words.intern(&format!("w{n}"))));
        let settings = TableSettings::subgraphs(Identity::Links, 7, false);
        let mut builder = Builder::create(path, settings).unwrap();
        for first in (0..9u32).filter(|n| n % 4 != 3) {
            for side in [vec![(first, 0)], vec![(first, 0), (1, 1)], vec![(first, 0), (1, 1), (2, 3)]] {
                let rule = Rule { target: [first].into(), alignment: [(0, 0)].into(), ..Rule::default() };
                builder.add(&side, &[rule.clone(), rule]).unwrap();
            }
        }
        builder.finish("{\"pairs\": 3}", &words, &words).unwrap();
    }

    #[test]
    fn parts_open_as_the_whole_table() {
        let folder = std::env::temp_dir().join(format!("graphmt-split-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (whole, out) = (folder.join("whole"), folder.join("parts"));
        written(&whole);
        let table = Table::open(&whole).unwrap();
        // A part for each first word, then larger parts, then one.
        for (limit, expected) in [(1, 7), (150, 4), (1 << 20, 1)] {
            let found = split(&table, limit, &out).unwrap();
            assert_eq!(found, expected, "limit {limit}");
            let parts = Table::open(&out).unwrap();
            assert_eq!(rules(&parts), rules(&table));
            assert_eq!((parts.meta(), parts.settings()), (table.meta(), table.settings()));
            for first in 0..9u32 {
                let node = |table: &Table| table.step(table.start(first)?, 1, 1);
                assert_eq!(node(&parts).is_some(), node(&table).is_some());
                let Some(node) = node(&parts) else { continue };
                assert_eq!(parts.source_side(node), [(first, 0), (1, 1)]);
                assert!(parts.has_children(node) && parts.has_rules(node));
                let mut children = 0;
                parts.children_with(node, 2, |joint, child| {
                    assert_eq!((joint, parts.source_side(child).len()), (3, 3));
                    children += 1;
                });
                assert_eq!(children, 1);
            }
            parts.verify().unwrap();
        }
        // One part is the same file as before.
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&out).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn parts_of_other_tables_and_missing_ones_are_refused() {
        let folder = std::env::temp_dir().join(format!("graphmt-parts-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (whole, out) = (folder.join("whole"), folder.join("parts"));
        written(&whole);
        split(&Table::open(&whole).unwrap(), 1, &out).unwrap();
        let refused = |path: &Path| Table::open(path).err().expect("refused").to_string();
        assert!(refused(&folder.join("parts.2")).contains("this is part 2 of a rule table"));
        std::fs::copy(folder.join("parts.3"), folder.join("parts.2")).unwrap();
        assert!(refused(&out).contains("not part 2 of the rule table beside it"));
        std::fs::remove_file(folder.join("parts.2")).unwrap();
        assert!(refused(&out).contains("part 2 of the rule table is missing"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
