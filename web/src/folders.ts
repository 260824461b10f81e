// The files that were dropped, those in folders too.

/** A file, and its path from what was dropped. */
export interface ChosenFile { path: string; file: File }

/** Extensions of what is read from a folder: meshes, caches, and what only they name. Others are left out. */
const READ = /\.(obj|ply|stl|off|glb|gltf|npz|npy|pc2|pc16|mdd|usda|bin)$/i;

/** The files that were chosen by name. */
export function chosenFiles(files: Iterable<File>): ChosenFile[] {
  return [...files].map((file) => ({ path: file.name, file }));
}

/** The files of a drop, by path. Has to be called while the event is handled. */
export async function droppedFiles(data: DataTransfer | null): Promise<ChosenFile[]> {
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some((entry) => entry.isDirectory)) return chosenFiles(data?.files ?? []);
  const found: ChosenFile[] = [];
  for (const entry of entries) await collect(entry, found);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function collect(entry: FileSystemEntry, found: ChosenFile[], isInside = false): Promise<void> {
  if (entry.isFile) {
    if (isInside && !READ.test(entry.name)) return;
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.replace(/^\//, ""), file });
  } else {
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      // A reader gives some at a time.
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (some.length === 0) return;
      for (const inner of some) await collect(inner, found, true);
    }
  }
}
