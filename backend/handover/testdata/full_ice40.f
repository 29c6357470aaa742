// Sources for synthesis of the module random
// Version word of the build: 1ea5ed01
// Names are relative to the folder of this file, as with verilator -F.
random.v
