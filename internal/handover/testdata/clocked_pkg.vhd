-- VHDL component of the module clocked_
-- Version word of the build: 1ea5ed01
library ieee;
use ieee.std_logic_1164.all;

package \clocked__pkg\ is
  constant \clocked__version\ : std_logic_vector(31 downto 0) := x"1ea5ed01";
  constant \clocked__latency\ : natural := 2; -- enabled clocks from inputs to outputs
  constant \clocked__CLASS_normal\ : natural := 0; -- class normal
  constant \clocked__CLASS_worn_out\ : natural := 1; -- class worn out
  constant \clocked__CLASS_2\ : natural := 2; -- class
  constant \clocked__CLASS_NORMAL_3\ : natural := 3; -- class NORMAL
  constant \clocked__CLASS_d_j_vu\ : natural := 4; -- class _d?j?__vu_
  constant \clocked__CLASS_normal_3_5\ : natural := 5; -- class normal_3

  component \clocked_\ is
    port (
      clk : in std_logic; -- clock, rising edge
      rst : in std_logic; -- synchronous reset of the valid bits, active high
      ce : in std_logic; -- 0 freezes all state
      in_valid : in std_logic; -- there is a sample at the inputs
      out_valid : out std_logic; -- in_valid of 2 enabled clocks before, as the outputs are of the inputs
      x : in std_logic_vector(3 downto 0); -- 4 bits
      \X\ : in std_logic_vector(0 downto 0); -- 1 bit: another?port
      \signal\ : in std_logic_vector(1 downto 0); -- 2 bits
      class_index : out std_logic_vector(0 downto 0) -- 1 bit: class
    );
  end component;
end package;
