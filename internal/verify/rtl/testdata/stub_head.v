module @NAME@ (
@PINS@@PORTS@
);
  reg [@HIGH@:0] want[0:@SAMPLES@-1];
  reg [@OUT@:0] results[0:@SAMPLES@-1];
  reg [@OUT@:0] outputs;
  initial begin
    $readmemb("want.txt", want);
    $readmemb("results.txt", results);
  end
@ASSIGNS@