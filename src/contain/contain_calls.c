/* SPDX-License-Identifier: Apache-2.0
 * The filters of system calls, as programs for the kernel's own small machine (seccomp(2)). A list
 * of what is refused for the service, because its libraries may call what they like of the rest
 * tomorrow; a list of what is allowed for the parser, which is ours alone. Each list is a table. */
#include "contain.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "count_of.h"

#if defined(__x86_64__)
#define OUR_MACHINE AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined(__aarch64__)
#define OUR_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef OUR_MACHINE

#define REFUSE (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define NOT_THERE (SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA))
#define OFFSET(member) ((uint32_t)offsetof(struct seccomp_data, member))
#define PROGRAM_MAX 256

/* No process but this one may need these: the system's own affairs, other processes, and what has
 * been a way around a sandbox. */
static const int never[] = {
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_pidfd_getfd,
	SYS_kcmp,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_open_tree,
	SYS_move_mount,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	SYS_mount_setattr,
	SYS_unshare,
	SYS_setns,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_syslog,
	SYS_vhangup,
	SYS_personality,
	SYS_mknodat,
	SYS_name_to_handle_at,
	SYS_open_by_handle_at,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_capset,
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setfsuid,
	SYS_setfsgid,
	SYS_setgroups,
#ifdef __x86_64__
	SYS_mknod,
	SYS_kexec_file_load,
	SYS_iopl,
	SYS_ioperm,
	SYS_modify_ldt,
#endif
};

static const int programs[] = {
	SYS_execve,
	SYS_execveat,
#ifdef __x86_64__
	SYS_fork,
	SYS_vfork,
#endif
};

static const int network[] = {
	SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
};

static const int parser[] = {
	SYS_read,          SYS_pread64, SYS_write,      SYS_lseek,   SYS_fstat, SYS_newfstatat,
	SYS_mmap,          SYS_munmap,  SYS_mremap,     SYS_madvise, SYS_brk,   SYS_rt_sigreturn,
	SYS_clock_gettime, SYS_exit,    SYS_exit_group, SYS_sendto,  SYS_close,
};

struct program {
	struct sock_filter code[PROGRAM_MAX];
	unsigned short count;
};

static void put(struct program *program, struct sock_filter instruction)
{
	if (program->count < PROGRAM_MAX)
		program->code[program->count++] = instruction;
}

static void load(struct program *program, uint32_t offset)
{
	put(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void end(struct program *program, uint32_t verdict)
{
	put(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/* The loaded word compared with value: when it holds, the verdict, else on. */
static void when(struct program *program, unsigned short compare, uint32_t value, uint32_t verdict)
{
	put(program,
	    (struct sock_filter)BPF_JUMP((unsigned short)(BPF_JMP | compare | BPF_K), value, 0, 1));
	end(program, verdict);
}

static void each(struct program *program, const int *calls, size_t count, uint32_t verdict)
{
	for (size_t i = 0; i < count; i++)
		when(program, BPF_JEQ, (uint32_t)calls[i], verdict);
}

/* A thread is one that shares all with us; what makes it with other arguments makes a process. */
static void only_threads(struct program *program)
{
	/* Its arguments lie in memory, which a filter cannot read: the C library then uses
	 * clone. */
	when(program, BPF_JEQ, SYS_clone3, NOT_THERE);
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
	load(program, OFFSET(args[0]));
	when(program, BPF_JSET, CLONE_THREAD, SECCOMP_RET_ALLOW);
	end(program, REFUSE);
}

/* Keys typed into the terminal that we were started from. */
static void no_typing(struct program *program)
{
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4));
	load(program, OFFSET(args[1]));
	when(program, BPF_JEQ, TIOCSTI, REFUSE);
	load(program, OFFSET(nr));
}

/* execve() of the words that lie there: nowhere, once the new program is there. */
static void only_execute(struct program *program, const char *path)
{
	const uint64_t at = (uint64_t)(uintptr_t)path;
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 6));
	load(program, OFFSET(args[0]));
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)at, 0, 3));
	load(program, OFFSET(args[0]) + (uint32_t)sizeof(uint32_t));
	when(program, BPF_JEQ, (uint32_t)(at >> 32), SECCOMP_RET_ALLOW);
	end(program, REFUSE);
}

/* path: of the one program that is started; NULL = none. */
static void write_program(struct program *program, enum contain_calls which, const char *path)
{
	load(program, OFFSET(arch));
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_MACHINE, 1, 0));
	end(program, SECCOMP_RET_KILL_PROCESS);
	load(program, OFFSET(nr));
#ifdef X32_BIT
	when(program, BPF_JGE, X32_BIT, REFUSE);
#endif
	if (which == CONTAIN_PARSER) {
		each(program, parser, COUNT_OF(parser), SECCOMP_RET_ALLOW);
		end(program, SECCOMP_RET_KILL_PROCESS);
		return;
	}
	each(program, never, COUNT_OF(never), REFUSE);
	no_typing(program);
	if (path != NULL)
		only_execute(program, path);
	if (which != CONTAIN_SPAWNER) {
		each(program, programs, COUNT_OF(programs), REFUSE);
		only_threads(program);
	}
	if (which != CONTAIN_SERVICE)
		each(program, network, COUNT_OF(network), REFUSE);
	end(program, SECCOMP_RET_ALLOW);
}

static bool take_filter(enum contain_calls which, const char *path)
{
	struct program program = {.count = 0};
	write_program(&program, which, path);
	const struct sock_fprog given = {program.count, program.code};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &given) ==
	       0;
}

bool contain_calls(enum contain_calls which)
{
	return take_filter(which, NULL);
}

bool contain_program_calls(const char *program)
{
	return take_filter(CONTAIN_DECODER, program);
}

#else

/* Another machine: its numbers of system calls are not those above. */
bool contain_calls(enum contain_calls which)
{
	(void)which;
	return false;
}

bool contain_program_calls(const char *program)
{
	(void)program;
	return false;
}

#endif
