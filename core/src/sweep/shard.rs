//! Submissions: a list of networks in a file, dealt out to the tasks of an array.

use super::{Run, SweepError, SweepFolder};
use crate::files::{cannot, write_whole};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const SUBMISSIONS: &str = "slurm";

/// Networks that were handed to a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// The number of the cluster's job.
    pub job: String,
    /// Tasks of the array.
    pub tasks: usize,
    /// Networks, dealt out to the tasks in turn.
    pub networks: Vec<String>,
    /// Where the networks are written down in full.
    #[serde(serialize_with = "crate::path_text::serialize")]
    pub list: PathBuf,
}

impl Submission {
    /// The array task that has a network.
    fn task_of(place: usize, tasks: usize) -> usize {
        place % tasks
    }

    /// The folder of submissions.
    pub(super) fn folder(folder: &SweepFolder) -> PathBuf {
        folder.path().join(SUBMISSIONS)
    }

    /// Writes down the networks of the next submission.
    pub(super) fn write_list(folder: &SweepFolder, runs: &[&Run]) -> Result<PathBuf, SweepError> {
        let submissions = Self::folder(folder);
        fs::create_dir_all(&submissions).map_err(cannot("make the folder", &submissions))?;
        let free = (1..).map(|number: u32| submissions.join(format!("{number:04}.jsonl"))).find(|path| !path.exists());
        let path = free.unwrap_or_default();
        let lines: Result<Vec<String>, _> = runs.iter().map(|run| run.to_line()).collect();
        let text = lines.map_err(SweepError::damaged(&path))?;
        write_whole(&path, (text.join("\n") + "\n").as_bytes()).map_err(cannot("write", &path))?;
        // Nodes may have another working folder.
        Ok(fs::canonicalize(&path).map_err(cannot("find", &path))?)
    }

    /// The networks of one shard of a list: exactly those that no other shard has.
    pub fn shard(list: &Path, shard: usize, shards: usize) -> Result<Vec<Run>, SweepError> {
        if shard >= shards {
            return Err(SweepError::NoShard { shard, last: shards.saturating_sub(1) });
        }
        let text = fs::read_to_string(list).map_err(cannot("read", list))?;
        let ours = text.lines().enumerate().filter(|(place, _)| Self::task_of(*place, shards) == shard);
        ours.map(|(_, line)| Run::from_line(line).map_err(SweepError::damaged(list))).collect()
    }

    /// Remembers a submission.
    pub(super) fn remember(&self) -> Result<(), SweepError> {
        let path = self.list.with_extension("json");
        let text = serde_json::to_string_pretty(self).map_err(SweepError::damaged(&path))?;
        Ok(write_whole(&path, (text + "\n").as_bytes()).map_err(cannot("write", &path))?)
    }

    /// All submissions of a folder, in order.
    pub fn all(folder: &SweepFolder) -> Vec<Self> {
        let entries = fs::read_dir(Self::folder(folder)).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect();
        paths.sort();
        let read = |path: &PathBuf| serde_json::from_str(&fs::read_to_string(path).ok()?).ok();
        paths.iter().filter_map(read).collect()
    }

    /// The networks of those array tasks that the cluster still has.
    pub(super) fn under_way(&self, is_queued: impl Fn(&str, usize) -> bool) -> Vec<&str> {
        let queued = |place: &usize| is_queued(&self.job, Self::task_of(*place, self.tasks));
        let places = (0..self.networks.len()).filter(queued);
        places.map(|place| self.networks[place].as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::Plan;

    #[test]
    fn every_run_is_in_exactly_one_shard() {
        let runs = Plan::parse("task = \"T1\"\nseed = \"1-23\"", "s.toml", Path::new("")).unwrap().runs().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let sweep = SweepFolder::create(folder.path(), &runs).unwrap();
        let list = Submission::write_list(&sweep, &runs.iter().collect::<Vec<_>>()).unwrap();
        for shards in [1, 4, 20, 23, 40] {
            let mut seen: Vec<String> = vec![];
            for shard in 0..shards {
                seen.extend(Submission::shard(&list, shard, shards).unwrap().into_iter().map(|run| run.name));
            }
            seen.sort();
            assert_eq!(seen, sweep.names().unwrap(), "{shards} shards");
        }
        assert!(Submission::shard(&list, 4, 4).unwrap_err().to_string().contains("from 0 to 3"));
    }

    #[test]
    fn only_networks_of_queued_tasks_are_under_way() {
        let networks = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        let submission = Submission { job: "7".into(), tasks: 2, networks, list: PathBuf::new() };
        assert_eq!(submission.under_way(|job, task| job == "7" && task == 1), ["b", "d"]);
    }
}
