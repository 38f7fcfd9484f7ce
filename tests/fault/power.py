# SPDX-License-Identifier: Apache-2.0
"""What a power cut leaves of a directory. power.c writes a journal of every change below it and of every sync; Disk knows from that
which bytes and names are durable and which may or may not be there. No test itself."""
import os
import pathlib
import shutil
import stat
import struct

RECORD = struct.Struct("<IIIIQq")  # struct record of power.c
CREATE, WRITE, RESIZE, SYNC, RENAME, UNLINK, MAKE_DIRECTORY, REMOVE_DIRECTORY, LINK = range(1, 10)
VOLATILE = ("-shm", ".lock")  # files whose content means nothing to the next start
SECTOR_BYTES = 512  # what a disk writes whole or not at all

# What becomes of the changes that nobody synced: nothing is kept; all is kept (as after a SIGKILL); the first so many of each
# file; some, in whatever order; some sectors of some.
KINDS = ("nothing", "all", "beginning", "some", "torn")


def read_journal(path):
    """(operation, inode, offset, path, other path, data), up to the record that the end of the process cut off."""
    data, at = path.read_bytes(), 0
    while at + RECORD.size <= len(data):
        operation, path_bytes, other_bytes, data_bytes, inode, offset = RECORD.unpack_from(data, at)
        at += RECORD.size
        end = at + path_bytes + other_bytes + data_bytes
        if end > len(data):
            return
        name, other = data[at : at + path_bytes].decode(), data[at + path_bytes : at + path_bytes + other_bytes].decode()
        yield operation, inode, offset, os.path.normpath(name), os.path.normpath(other), data[end - data_bytes : end]
        at = end


class File:
    """durable: what is on the disk for certain. pending: changes since, oldest first: (offset, data) or (size, None)."""

    def __init__(self, content=b""):
        self.durable, self.pending = bytearray(content), []

    def sync(self):
        for change in self.pending:
            apply(self.durable, change)
        self.pending = []

    def after_cut(self, kind, dice):
        content = bytearray(self.durable)
        for change in kept_changes(self.pending, kind, dice):
            apply(content, change)
        return bytes(content)


def apply(content, change):
    offset, data = change
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
        return
    content.extend(bytes(max(0, offset - len(content))))  # a hole
    content[offset : offset + len(data)] = data


def kept_changes(pending, kind, dice):
    if kind == "nothing":
        return []
    if kind == "all":
        return pending
    if kind == "beginning":
        return pending[: dice.randint(0, len(pending))]
    some = [change for change in pending if dice.random() < 0.5]
    if kind == "some":
        return some
    return [piece for change in some for piece in torn(change, dice)]


def torn(change, dice):
    offset, data = change
    if data is None:
        return [change]
    pieces, at = [], 0
    while at < len(data):
        end = min(len(data), (offset + at) // SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES - offset)
        pieces.append((offset + at, data[at:end]))
        at = end
    return [piece for piece in pieces if dice.random() < 0.6]


class Disk:
    """A directory, as it stands when it is made: that much is taken for durable."""

    def __init__(self, root):
        self.root = str(root)
        self.inodes = {}  # inode -> File, as of now
        self.names = {}  # path -> File, durable
        self.live = {}  # path -> File, as of now
        self.directories, self.live_directories = {self.root}, {self.root}
        self.pending_names = []  # (operation, path, other path, File), oldest first
        self.renamed_early = set()  # paths whose new file was not synced before it took the name: a cut may leave it empty there
        for directory, folders, files in os.walk(self.root):
            self.directories.update(os.path.join(directory, folder) for folder in folders)
            for path in (os.path.join(directory, file) for file in files):
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode) and not path.endswith(VOLATILE):
                    self.names[path] = self.inodes[status.st_ino] = File(pathlib.Path(path).read_bytes())
        self.live = dict(self.names)
        self.live_directories |= self.directories

    def replay(self, records):
        for operation, inode, offset, path, other, data in records:
            if operation == SYNC:
                self.sync(inode, path)
            elif operation in (WRITE, RESIZE):
                self.file(inode).pending.append((offset, data if operation == WRITE else None))
            else:
                self.rename(operation, inode, path, other)

    def file(self, inode):
        return self.inodes.setdefault(inode, File())

    def sync(self, inode, path):
        if path not in self.live_directories:
            self.file(inode).sync()
            return
        durable = [entry for entry in self.pending_names if self.directory_of(entry) == path]
        self.pending_names = [entry for entry in self.pending_names if self.directory_of(entry) != path]
        for entry in durable:
            apply_name(self.names, self.directories, entry)

    @staticmethod
    def directory_of(entry):
        operation, path, other, _ = entry
        return os.path.dirname(other if operation in (RENAME, LINK) else path)

    def rename(self, operation, inode, path, other):
        """Any change of names. A file that lost its last name leaves its number to the next."""
        if operation == CREATE:
            self.inodes[inode] = File()
        file = self.file(inode) if operation in (CREATE, LINK) else self.live.get(path)
        if operation == RENAME and file is not None and file.pending:
            self.renamed_early.add(other)
        entry = (operation, path, other, file)
        apply_name(self.live, self.live_directories, entry)
        self.pending_names.append(entry)
        if operation == UNLINK and file is not None and file not in self.live.values():
            self.inodes = {number: known for number, known in self.inodes.items() if known is not file}

    @property
    def unsynced(self):
        """Changes that a power cut may undo."""
        return len(self.pending_names) + sum(len(file.pending) for file in set(self.inodes.values()))

    def after_cut(self, kind, dice):
        """{path: content} of one disk that a cut may leave, and its directories."""
        names, directories = dict(self.names), set(self.directories)
        for folder in sorted({self.directory_of(entry) for entry in self.pending_names}):
            entries = [entry for entry in self.pending_names if self.directory_of(entry) == folder]
            # A file system keeps the order of its names.
            for entry in kept_changes(entries, kind if kind in ("nothing", "all") else "beginning", dice):
                apply_name(names, directories, entry)
        is_there = {path for path in directories if all(up in directories for up in ancestors(path, self.root))}
        contents = {id(file): file.after_cut(kind, dice) for file in names.values()}
        return {path: contents[id(file)] for path, file in names.items() if os.path.dirname(path) in is_there}, is_there

    def leave(self, kind, dice):
        """Makes the directory what the cut left of it. Files without meaning may be there or not."""
        contents, directories = self.after_cut(kind, dice)
        modes = {path: os.stat(path).st_mode & 0o777 for path in contents if os.path.exists(path)}
        for found in list(pathlib.Path(self.root).iterdir()):
            if found.is_dir():
                shutil.rmtree(found)
            elif not found.name.endswith(VOLATILE) or dice.random() < 0.5:
                found.unlink()
        for directory in sorted(directories):
            os.makedirs(directory, mode=0o700, exist_ok=True)
        for path, content in contents.items():
            pathlib.Path(path).write_bytes(content)
            os.chmod(path, modes.get(path, 0o600))

    def difference(self):
        """What the directory holds and the journal does not, or the other way round: then power.c has missed a call. The commit mark is
        a mapped page, which no call writes: after a cut it is as good as lost."""
        contents, _ = self.after_cut("all", None)
        now = Disk(self.root).after_cut("all", None)[0]
        return sorted(path for path in {*contents, *now} if contents.get(path) != now.get(path) and not path.endswith("/epoch-commit"))


def ancestors(path, root):
    while path != root:
        path = os.path.dirname(path)
        yield path


def apply_name(names, directories, entry):
    operation, path, other, file = entry
    if operation == MAKE_DIRECTORY:
        directories.add(path)
    elif operation == REMOVE_DIRECTORY:
        directories.discard(path)
    elif operation == UNLINK:
        names.pop(path, None)
    elif file is not None:
        if operation == RENAME:
            names.pop(path, None)
        names[path if operation == CREATE else other] = file
