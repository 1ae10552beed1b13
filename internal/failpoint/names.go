package failpoint

// The boundaries, in the order in which a task meets them: what is written there, and
// what is not yet. docs/death.md says what mends each.
const (
	// The record, whoever appends: what is written is in the open transaction, and nothing is
	// committed.
	RecordInserted Name = "record.inserted"
	// The record is durable, and who appended has not been told.
	RecordCommitted Name = "record.committed"
	// The record's file is made, and it has no table.
	RecordMade Name = "record.made"
	// What is kept beside the record, so that the next reader need not begin at the start, is
	// durable; who kept it has not been told.
	RecordKept Name = "record.snapshot-kept"
	// An export is whole and on the disk, under another name than its own.
	ExportWritten Name = "export.written"

	// init or new has made a file, and written nothing into it.
	InitMade Name = "init.file-made"
	// init has written the configuration, and not what git is to ignore.
	InitConfig Name = "init.config-written"
	// init has written what git is to ignore, and not the schemas.
	InitIgnore Name = "init.ignore-written"
	// new has written the contract, and not committed it.
	NewWritten Name = "new.contract-written"
	// new has added the contract to the index, and not committed it.
	NewAdded Name = "new.contract-added"
	// new has committed the contract, and not said so.
	NewCommitted Name = "new.committed"

	// mint has named the partition's repository, and minted nothing.
	MintOpened Name = "mint.opened"
	// mint has written one part of its pass, and not the next.
	MintPart Name = "mint.part-written"

	// dispatch has made the file of the claim's lock and holds it; the claim is not recorded.
	DispatchLocked Name = "dispatch.claim-locked"
	// The claim is recorded, and nothing is done for it.
	DispatchClaimed Name = "dispatch.claimed"
	// The claim is released, with an escalation where there is one; its lock's file stands.
	DispatchReleased Name = "dispatch.released"
	// The file of the claim's lock is removed, and the lock is held.
	DispatchUnlocked Name = "dispatch.lock-removed"
	// What a dead run left is taken, and its claim is open.
	DispatchTaken Name = "dispatch.crash-taken"
	// A dead run's claim is released, and its lock's file stands.
	DispatchBuried Name = "dispatch.buried"

	// A worktree is registered, and empty.
	WorktreeRegistered Name = "git.worktree-registered"
	// A worktree is filled, and not verified.
	WorktreeFilled Name = "git.worktree-filled"
	// The files of a worktree are a tree's, and its index is not.
	FilesEqual Name = "git.files-equal"
	// The index that is a tree's is written beside a worktree's own, and not renamed.
	IndexWritten Name = "git.index-written"
	// One file of a registration that somebody damaged is written anew, and not the next.
	RegistrationMended Name = "git.registration-mended"
	// A worktree's folder is removed, and its registration stands.
	WorktreeEmptied Name = "git.worktree-emptied"
	// A commit of a person's answer is written, and no branch leads to it.
	CommitWritten Name = "git.commit-written"

	// An attempt's room is cut, its folder beside it made, and its inventory not written.
	AttemptCut Name = "attempt.room-cut"
	// An inventory is written beside its name, and not renamed.
	InventoryWritten Name = "attempt.inventory-written"
	// An inventory is in its place; what it tells of is not done.
	InventoryRenamed Name = "attempt.inventory-renamed"
	// The file by which git ignores the folder of state files is made, and empty.
	StatesMade Name = "carrier.folder-made"
	// A state file is written beside its name, and not renamed.
	StateWritten Name = "carrier.state-written"
	// A state file is in its place, and the record does not have the next fact.
	StateRenamed Name = "carrier.state-renamed"
	// The run is in the state file, and its room is not furnished.
	AttemptOpened Name = "attempt.opened"
	// setup and copy have made what they make, and the base is not asked.
	AttemptFurnished Name = "attempt.furnished"
	// The base has answered, and the files are not what the attempt starts from.
	AttemptAsked Name = "attempt.base-asked"
	// The agent's prompt and what it is given are written; the record knows of no attempt.
	AttemptGiven Name = "attempt.given"
	// The attempt is in the record, and no agent is started.
	AttemptStarted Name = "attempt.started"
	// The agent runs, and the state file names its process.
	AttemptBegun Name = "attempt.agent-begun"
	// The agent has ended, and nothing that it left is kept.
	AttemptEnded Name = "attempt.agent-ended"
	// The commit of the kept tree is written, and no ref holds it.
	AttemptCommitted Name = "attempt.commit-written"
	// The tree is on its ref, and the record does not say how the attempt ended.
	AttemptKept Name = "attempt.tree-kept"
	// What the agent noted is recorded, and not how it ended.
	AttemptNoted Name = "attempt.entries-recorded"
	// The attempt's end is recorded, and the gate is not asked.
	AttemptFinished Name = "attempt.finished"
	// One file that git ignores is moved out of a worktree or back, and not the next.
	AttemptMoved Name = "attempt.file-moved"
	// Files that git ignores are set aside for acceptance, and not put back.
	AttemptAside Name = "attempt.set-aside"
	// The gate's answer is recorded, on arrival or when due; the state file and the row are not written.
	AttemptJudged Name = "attempt.judged"
	// A row of telemetry or of findings is in its file, and who added it has not been told.
	RowAppended Name = "carrier.row-appended"
	// The row of telemetry is written, and dispatch has not heard.
	AttemptRow Name = "attempt.telemetry"
	// A dead attempt's end is recorded, and its state file and row are not written.
	AttemptCrashed Name = "attempt.crash-recorded"
	// A room is noted as going, and all of it stands.
	AttemptGoing Name = "attempt.room-going"
	// A room's worktree is removed, and its folder and inventory stand.
	AttemptRemoved Name = "attempt.worktree-removed"
	// A room's folder is removed, and its inventory stands.
	AttemptCleared Name = "attempt.folder-removed"
	// The rooms of a task are put away, and its state file stands.
	AttemptTidied Name = "attempt.rooms-removed"

	// The acceptance of the target's head was asked, and the room for it stands.
	AttemptHead Name = "attempt.head-asked"

	// The commits of a landing are written, and no ref leads to them.
	LandingWritten Name = "landing.commits-written"
	// The target, checked out nowhere, is moved; the record does not say so.
	LandingMoved Name = "landing.ref-moved"
	// The target is fast-forwarded where it is checked out; the record does not say so.
	LandingForwarded Name = "landing.forwarded"
	// The landing is pushed; the record does not say so.
	LandingPushed Name = "landing.pushed"
	// The landing is recorded; the claim is open and the rooms stand.
	LandingRecorded Name = "landing.recorded"
	// A landing that only git held is recorded as observed.
	LandingObserved Name = "landing.observed"
	// A landing that a person attests is recorded, and the rooms stand.
	LandingAttested Name = "landing.attested"

	// A widened contract is on the target, and not minted.
	AnswerCommitted Name = "answer.widen-committed"
	// A widened contract is pushed to the target, and not minted.
	AnswerPushed Name = "answer.widen-pushed"
	// A widened contract that the remote refused is on a branch, and nobody has been told.
	AnswerProposed Name = "answer.widen-proposed"
	// A widened contract is minted, and the task is not requeued.
	AnswerReminted Name = "answer.widen-reminted"
	// A requeue is recorded, and nobody has been told.
	AnswerRequeued Name = "answer.requeued"
	// What ran here is minted and requeued in one append, and nobody has been told.
	AnswerPutBack Name = "answer.put-back"
	// A task is abandoned, and its state file stands.
	AnswerAbandoned Name = "answer.abandoned"
	// That a task is to stop is recorded, and nobody waits for its end.
	AnswerStop Name = "answer.stop-told"

	// gc has removed one thing, and not the next.
	GCRemoved Name = "gc.thing-removed"
	// gc has removed one path that git ignores in a kept worktree, and not the next.
	GCPath Name = "gc.path-removed"
	// gc has moved the caches aside, and all of them are there.
	GCAside Name = "gc.caches-set-aside"
	// recover adopt has put what stood in a worktree on its ref, and no branch leads there.
	RecoverKept Name = "recover.work-kept"
	// recover adopt has made the branch, and not said so.
	RecoverMade Name = "recover.branch-made"

	// A repair has mended one difference, and not the next.
	VerifyMended Name = "verify.mended"
)
