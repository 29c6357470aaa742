# What object_test.go describes as a File, for the system's assembler: the two have to agree.
	.intel_syntax noprefix
	.text
	.p2align 6
	.globl	probe
	.type	probe, @function
probe:
	push	rbx
	mov	ebx, DWORD PTR constant[rip]
	mov	rax, QWORD PTR pointer[rip]
	add	ebx, DWORD PTR [rax]
	inc	DWORD PTR counter[rip]
	add	ebx, DWORD PTR counter[rip]
	mov	edi, 5
	call	helper@PLT
	add	ebx, eax
	mov	rcx, QWORD PTR helper@GOTPCREL[rip]
	mov	edi, 6
	call	rcx
	add	ebx, eax
	mov	rcx, QWORD PTR absent@GOTPCREL[rip]
	add	rbx, rcx
	mov	eax, ebx
	pop	rbx
	ret
	.size	probe, .-probe
	.weak	absent

	.section .rodata
	.p2align 2
	.type	constant, @object
constant:
	.long	1000, 20000
	.size	constant, 8

	.section .data.rel.ro, "aw"
	.p2align 3
	.hidden	pointer
	.globl	pointer
	.type	pointer, @object
pointer:
	.quad	constant+4
	.size	pointer, 8

	.bss
	.p2align 2
	.type	counter, @object
counter:
	.zero	4
	.size	counter, 4

	.section .note.GNU-stack, "", @progbits
