// What object_test.go describes as a File, for the system's assembler: the two have to agree.
	.text
	.p2align 6
	.globl	_start
	.type	_start, %function
_start:
	adrp	x1, constant
	add	x1, x1, :lo12:constant
	ldr	w19, [x1]
	adrp	x1, pointer
	add	x1, x1, :lo12:pointer
	ldr	x1, [x1]
	ldr	w2, [x1]
	add	w19, w19, w2
	bl	helper
	add	w0, w0, w19
	mov	x8, #93
	svc	#0
	.size	_start, .-_start

	.section .rodata
	.p2align 2
	.type	constant, %object
constant:
	.long	10, 20
	.size	constant, 8

	.section .data.rel.ro, "aw"
	.p2align 3
	.hidden	pointer
	.globl	pointer
	.type	pointer, %object
pointer:
	.quad	constant+4
	.size	pointer, 8

	.section .note.GNU-stack, "", %progbits
